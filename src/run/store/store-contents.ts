import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mapping } from '../../plan/mapping/mapping.ts';
import { readZone } from '../../ask/time/zone.ts';
import { isRecord } from '../../ask/document/json-record.ts';
import {
  damagedStore,
  type DeclaredZone,
  readManifest,
  segmentPath,
  type Segment,
  type StoreManifest,
  unreadableStore,
} from './store-manifest.ts';

/** A loaded file, or the file of an export window. */
export interface StoreSource {
  /** The number in the rows of its segments. */
  readonly number: number;
  /** The absolute path of the file when it was loaded. */
  readonly file: string;
  readonly bytes: number;
  /** Hash of the file on disk, hexadecimal. */
  readonly sha256: string;
  /** The size and the hash of its unpacked contents, if it is packed. Older versions did not record them. */
  readonly unpacked?: { readonly bytes: number; readonly sha256: string } | undefined;
  /** True if its packing was damaged, so that lines may be missing although all that could be read is known. */
  readonly damaged?: boolean | undefined;
  /** Hash of the first bytes of its contents; see `ContentHash`. */
  readonly head?: string | undefined;
  /** The encoding of its text, if not UTF-8. */
  readonly encoding?: string | undefined;
  /** The identity of its column mapping, if it had one. */
  readonly mapping?: string | undefined;
  /** The zone that its mapping declares for times without one. */
  readonly zone?: string | undefined;
  /** For people: `NDJSON, gzip`. */
  readonly format: string;
  /** True if its times are dates without a time of day. */
  readonly dated?: boolean | undefined;
  /** When it was loaded, an ISO instant. */
  readonly time: string;
  /** The project assigned to rows without one. */
  readonly project?: string | undefined;
  /** Events added then. */
  readonly rows: number;
  /** Events left out because their IDs were known, or because their users were forgotten. */
  readonly known: number;
  readonly forgotten: number;
  /** Events left out because events of their time were pruned. */
  readonly pruned?: number | undefined;
  readonly rejected: number;
  /** Name of the file with the rejected lines. */
  readonly rejectedFile?: string | undefined;
  /** What the file held when it was loaded before, if it only has grown since; the oldest first. */
  readonly earlier?: readonly EarlierRows[] | undefined;
  /**
   * When the store first had content that this source replaced, an ISO instant; not that of `earlier`. For a window
   * that was first loaded at a later revision: when that was.
   */
  readonly since?: string | undefined;
  readonly window?: SourceWindow | undefined;
  /** Numbers of the export windows that had some of its events before it; see `again`. */
  readonly behind?: readonly number[] | undefined;
  /** True if a window with some of its events was replaced by one without them, so that it must be loaded again. */
  readonly again?: boolean | undefined;
}

/** The first rows of a grown file, which the store had before the others. */
export interface EarlierRows {
  /** The number in these rows, from the end of the entry before on. */
  readonly number: number;
  /** Rows of the file up to the end of these. */
  readonly read: number;
  /** When they were loaded, an ISO instant. */
  readonly time: string;
  /** Lines of the file that were rejected then. Earlier versions did not record it. */
  readonly rejected?: number | undefined;
}

/** All numbers in the rows of a source. */
export function numbersOf({ number, earlier = [] }: StoreSource): readonly number[] {
  return [...earlier.map((rows) => rows.number), number];
}

/** Rows that were read from the file of a source, including those that were left out. */
export function rowsRead({ rows, known, forgotten, pruned = 0 }: StoreSource): number {
  return rows + known + forgotten + pruned;
}

/**
 * The identity of a mapping: the same bytes under another mapping are different content. Earlier versions did not
 * record the zone, so that their files with one must be loaded again.
 */
export function mappingHash(mapping: Mapping | undefined): string | undefined {
  if (mapping === undefined) return undefined;
  const identity = mapping.timezone === undefined ? mapping : [mapping, 'zone recorded'];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
}

/** What a source records about its mapping. */
export function recordOf(mapping: Mapping | undefined): Pick<StoreSource, 'mapping' | 'zone'> {
  const zone = mapping?.timezone === undefined ? undefined : readZone(mapping.timezone);
  return { mapping: mappingHash(mapping), ...(zone?.ok && { zone: zone.value }) };
}

/** The numbers in the rows of sources, by the zone that their mapping declares. */
export function zonesOf(sources: readonly StoreSource[]): readonly DeclaredZone[] {
  return [...Map.groupBy(sources, ({ zone }) => zone)].flatMap(([zone, own]) =>
    zone === undefined ? [] : { zone, sources: toSpans(own.flatMap(numbersOf)) },
  );
}

/** Neighbouring numbers as spans, both ends included. */
function toSpans(numbers: readonly number[]): DeclaredZone['sources'] {
  const spans: [number, number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans;
}

/** The identity of an export window, and its revision. */
export interface SourceWindow {
  readonly query: string;
  /** ISO instants. */
  readonly start: string;
  readonly end: string;
  readonly project?: string | undefined;
  readonly revision: number;
}

/** A store at one of its revisions. */
export interface StoreContents extends Omit<StoreManifest, 'segments'> {
  readonly folder: string;
  readonly segments: readonly (Segment & { readonly path: string })[];
  readonly sources: readonly StoreSource[];
}

/** Needs no lock. undefined if there is no store. Errors: those of `readManifest`. */
export async function readStore(folder: string): Promise<StoreContents | undefined> {
  for (let attempt = 1; ; attempt++) {
    const manifest = await readManifest(folder);
    if (!manifest) return undefined;
    const sources = await readSources(folder, manifest);
    if (sources)
      return {
        ...manifest,
        folder,
        sources,
        segments: manifest.segments.map((segment) => ({ ...segment, path: segmentPath(folder, segment) })),
      };
    // If a writer committed meanwhile, the next manifest names another file.
    if (attempt >= 5) throw damagedStore(folder, `${manifest.ledger ?? ''} is missing`);
  }
}

/** The sources that a manifest names; undefined if their file was removed. */
export async function readSources(
  folder: string,
  { ledger }: Pick<StoreManifest, 'ledger'>,
): Promise<readonly StoreSource[] | undefined> {
  if (ledger === undefined) return [];
  const text = await readFile(path.join(folder, ledger), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadableStore(folder, ledger, error);
  });
  if (text === undefined) return undefined;
  try {
    const sources = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
    if (sources.every(isSource)) return sources;
  } catch (cause) {
    throw damagedStore(folder, `${ledger} is not valid JSON`, cause);
  }
  throw damagedStore(folder, `${ledger} is incomplete`);
}

/** One line per source. */
export function writeSources(sources: readonly StoreSource[]): string {
  return sources.map((source) => `${JSON.stringify(source)}\n`).join('');
}

function isSource(value: unknown): value is StoreSource {
  if (!isRecord(value)) return false;
  const { number, file, bytes, sha256, time, rows, rejected, window, rejectedFile, earlier } = value;
  return (
    [number, bytes, rows, rejected].every((count) => typeof count === 'number') &&
    [file, sha256, time].every((text) => typeof text === 'string') &&
    (window === undefined || isRecord(window)) &&
    (earlier === undefined || (Array.isArray(earlier) && earlier.every(isEarlier))) &&
    (rejectedFile === undefined || (typeof rejectedFile === 'string' && !/[/\\]/.test(rejectedFile)))
  );
}

function isEarlier(value: unknown): value is EarlierRows {
  if (!isRecord(value)) return false;
  const { number, read, time, rejected } = value;
  return (
    typeof number === 'number' &&
    typeof read === 'number' &&
    typeof time === 'string' &&
    (rejected === undefined || typeof rejected === 'number')
  );
}
