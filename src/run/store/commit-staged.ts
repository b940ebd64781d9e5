import path from 'node:path';
import { findDoomed, type Part } from './doomed-rows.ts';
import type { IngestedFile } from './ingest-report.ts';
import { laySegments } from './lay-segments.ts';
import type { StoreWriter } from './open-writer.ts';
import type { StagedFile } from './stage-file.ts';
import type { StoreSource } from './store-contents.ts';
import { segmentPath } from './store-manifest.ts';
import { rejectedFolder } from './sweep-store.ts';
import { rowsOf } from './write-segment.ts';

export type Staged = Extract<StagedFile, { readonly kind: 'staged' }>;

export interface Committed {
  readonly entries: readonly IngestedFile[];
  /** The sources that are new or have changed. */
  readonly sources: readonly StoreSource[];
  /** Events of older revisions that are gone. */
  readonly removed: number;
}

/** Makes staged files part of the store, all at once, in the place of those that they replace. */
export async function commitStaged(writer: StoreWriter, staged: readonly Staged[], adopted: readonly StoreSource[], nextSource: number): Promise<Committed> {
  // A later file of the same command may already have replaced an earlier one.
  const replacedNow = new Set(staged.flatMap(({ replaces }) => replaces?.number ?? []));
  const live = staged.filter(({ source }) => !replacedNow.has(source.number));
  const parts = live.map(({ read }) => read.part).filter(({ rows }) => rows > 0);
  const replaced = [...replacedNow].filter((number) => writer.sources.some((source) => source.number === number));
  const segments = writer.manifest.segments.map((segment) => segmentPath(writer.folder, segment));
  const doomed = await findDoomed(writer, { parts, segments, replaced });
  const before = replaced.length === 0 || segments.length === 0 ? 0
    : Number((await writer.rows(`SELECT count(*) FROM ${rowsOf(segments)} WHERE source IN (${replaced.join(', ')})`))[0]?.[0]);

  const changed = new Map(adopted.map((source) => [source.number, source]));
  for (const { source, read } of live) {
    const { known = 0, forgotten = 0, behind = [] } = doomed.bySource.get(source.number) ?? {};
    const others = behind.filter((number) => number !== source.number);
    changed.set(source.number, { ...source, rows: read.part.rows - known - forgotten, known, forgotten, ...(others.length > 0 ? { behind: others } : {}) });
  }
  const kept = writer.sources.filter(({ number }) => !replacedNow.has(number)).map((source) => changed.get(source.number) ?? source);
  const present = new Set(kept.map(({ number }) => number));
  const added = [...changed.values()].filter(({ number }) => !present.has(number));
  const sources = await markAgain(writer, staged, [...kept, ...added], parts);
  await writer.commit({ segments: await laySegments(writer, parts, doomed, replaced), sources, nextSource });
  await doomed.drop();
  return {
    entries: staged.map((one) => toEntry(writer, one, changed.get(one.source.number))), removed: before,
    sources: sources.filter((source) => changed.has(source.number) || source.again === true),
  };
}

/**
 * Marks the sources that had left events to an older revision which its newer one does not have any more: these events
 * are in the store no longer, and to bring them back takes the file.
 */
async function markAgain(writer: StoreWriter, staged: readonly Staged[], sources: readonly StoreSource[], parts: readonly Part[]): Promise<readonly StoreSource[]> {
  let marked = sources;
  for (const { source, replaces } of staged) {
    if (!replaces || !marked.some(({ behind }) => behind?.includes(replaces.number))) continue;
    const lost = await lacksSome(writer, replaces.number, parts.filter(({ number }) => number === source.number));
    marked = marked.map((one) => {
      if (!one.behind?.includes(replaces.number)) return one;
      return { ...one, behind: one.behind.map((number) => (number === replaces.number ? source.number : number)), ...(lost ? { again: true } : {}) };
    });
  }
  return marked;
}

async function lacksSome(writer: StoreWriter, number: number, parts: readonly Part[]): Promise<boolean> {
  const segments = writer.manifest.segments.map((segment) => segmentPath(writer.folder, segment));
  if (segments.length === 0) return false;
  const ids = (relation: string) => `SELECT coalesce(project_id, '') AS project, event_id FROM ${relation} WHERE event_id <> ''`;
  const fresh = parts.length === 0 ? `SELECT '' AS project, '' AS event_id WHERE false` : ids(rowsOf(parts.map(({ path: file }) => file)));
  const [row] = await writer.rows(`SELECT count(*) > 0 FROM (${ids(rowsOf(segments))} AND source = ${number}) AS old ANTI JOIN (${fresh}) AS fresh USING (project, event_id)`);
  return row?.[0] === true;
}

function toEntry(writer: StoreWriter, { source, read, replaces }: Staged, final: StoreSource | undefined): IngestedFile {
  return {
    file: source.file, outcome: replaces ? 'replaced' : 'added', format: source.format, entities: read.entities, project: source.project,
    added: final?.rows ?? 0, known: final?.known ?? 0, forgotten: final?.forgotten ?? 0,
    rejected: source.rejected, rejectedExamples: read.rejected.examples,
    rejectedFile: source.rejectedFile === undefined ? undefined : path.join(rejectedFolder(writer.folder), source.rejectedFile),
    earlier: replaces,
  };
}
