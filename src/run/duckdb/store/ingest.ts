import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AbortedError, SluiceError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { encodingFor, type Encodings } from '../../file/encoding.ts';
import { sourceName } from '../../file/source-copy.ts';
import { toSystemError } from '../../file/system-error.ts';
import { type IngestedFile, type IngestProgress, type IngestReport, untouched } from '../../store/ingest-report.ts';
import { indexSources, type KnownSources } from '../../store/known-sources.ts';
import { numbersOf, type StoreSource } from '../../store/store-contents.ts';
import { segmentPath } from '../../store/store-manifest.ts';
import { findRowsToDrop, type Part } from './rows-to-drop.ts';
import type { MappingOf } from '../reading/recognise/map-files.ts';
import { type History, historyOf, labelled } from './earlier-rows.ts';
import { findWindows, type GivenProject } from './find-windows.ts';
import { laySegments } from './lay-segments.ts';
import { openWriter, type StoreWriter, type WriterOptions } from './open-writer.ts';
import { smallFile, type StagedFile, stageFile, type StagingOrder } from './stage-file.ts';
import { type FileLooks, stageTogether } from './stage-together.ts';
import { findRepeatedRows, type RepeatedRows } from './repeated-rows.ts';
import { openRotated } from './rotated-files.ts';
import { fromWhole, explained } from './damaged-segment.ts';
import { toStoreError } from './store-error.ts';
import { rejectedFolder } from './sweep-store.ts';
import { rowsOf } from './segment-columns.ts';

export interface IngestOptions extends WriterOptions {
  /** Absolute, as `findFiles` gives them. */
  readonly files: readonly string[];
  /** The project for events without one, in files without an export manifest. */
  readonly project?: GivenProject | undefined;
  /** The encoding of text files that are not UTF-8 and have no byte order mark; see `readEncoding`. */
  readonly encoding?: Encodings;
  /** The mapping from a file's columns to event fields. Export windows have none. */
  readonly mappingOf?: MappingOf | undefined;
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  /**
   * The number of rows per commit, rounded up to whole files. If the process is killed, uncommitted files are read
   * again.
   */
  readonly batchRows?: number | undefined;
}

const usualBatchRows = 1_000_000;
const batchFiles = 1000;

/**
 * Loads event files into a store, each file once however often it is named; `StoreSource` says how a file is
 * recognised. Commits whole files, several at a time. The report names files that could not be loaded; the others are
 * loaded. Errors: `AbortedError`, `project-contradicted`, and those of `openWriter`; the store then stays as of the
 * last commit.
 */
export async function ingestFiles(options: IngestOptions): Promise<IngestReport> {
  const { files, signal, batchRows = usualBatchRows } = options;
  const windows = await findWindows(files, options.project);
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  await using writer = await openWriter({ ...options, bytes: sizes.reduce((sum, size) => sum + size, 0) });
  try {
    const known = indexSources(writer.sources);
    const rotated = openRotated(writer.sources);
    const entries: IngestedFile[] = [];
    const batch: { staged: Staged[]; adopted: StoreSource[] } = { staged: [], adopted: [] };
    let nextSource = writer.manifest.nextSource;
    let removed = 0;
    const flush = async () => {
      if (batch.staged.length === 0 && batch.adopted.length === 0) return;
      const committed = await commitStaged(writer, batch.staged, batch.adopted, nextSource);
      entries.push(...committed.entries);
      removed += committed.removed;
      remember(known, committed);
      batch.staged = [];
      batch.adopted = [];
    };
    const progress = openProgress(options, sizes);
    const take = (staged: StagedFile) => {
      if (staged.kind === 'told') {
        entries.push(staged.entry);
        if (staged.adopted) adopt(known, staged.adopted, batch);
        return;
      }
      batch.staged.push(staged);
      if (staged.replaces) known.remove(staged.replaces);
      known.add(staged.source);
      nextSource += 1;
    };
    const orderOf = (index: number): StagingOrder => ({
      file: files[index]!,
      window: windows.get(files[index]!),
      number: nextSource,
      project: options.project,
      encoding: encodingFor(files[index]!, options.encoding),
      mapping: windows.has(files[index]!) ? undefined : options.mappingOf?.(files[index]!),
      rotated,
      now: options.now,
      randomText: options.randomText,
      signal,
      onBytes: () => undefined,
    });
    /** Reads the files from `start` up to `end` together if possible, otherwise each half. */
    const stageRun = async (start: number, end: number, looks: FileLooks = new Map()): Promise<void> => {
      throwIfAborted(signal);
      if (end - start === 1) {
        const staging = stageFile(writer, known, { ...orderOf(start), onBytes: progress.start(start) });
        take(await staging.catch((error: unknown) => refusal(files[start]!, error, options)));
        return progress.finish(start);
      }
      const orders = files
        .slice(start, end)
        .map((_, index) => ({ ...orderOf(start + index), number: nextSource + index }));
      const together = await stageTogether(writer, known, orders, looks);
      if (together) {
        together.forEach(take);
        for (let index = start; index < end; index++) progress.finish(index);
        return;
      }
      const middle = (start + end) >> 1;
      await stageRun(start, middle, looks);
      await stageRun(middle, end, looks);
    };
    for (let start = 0; start < files.length; ) {
      const end = endOfRun(files, sizes, windows, start);
      await stageRun(start, end);
      start = end;
      const rows = batch.staged.reduce((sum, one) => sum + one.read.rows, 0);
      if (rows >= batchRows || batch.staged.length >= batchFiles) await flush();
    }
    await flush();
    return toReport(writer, entries, files, removed);
  } catch (error) {
    throw await explained(writer, error);
  }
}

/** The end of a run of small files that are read together, limited by number of files and bytes of text. */
function endOfRun(
  files: readonly string[],
  sizes: readonly number[],
  windows: ReadonlyMap<string, unknown>,
  start: number,
): number {
  const isSmall = (index: number) => sizes[index]! > 0 && sizes[index]! < smallFile && !windows.has(files[index]!);
  // Unpacked text is several times longer.
  const bytesOf = (index: number) => sizes[index]! * (/\.(?:gz|gzip|zst|zstd)$/i.test(files[index]!) ? 8 : 1);
  let end = start + 1;
  let bytes = bytesOf(start);
  if (!isSmall(start)) return end;
  while (
    end < files.length &&
    end - start < mostTogether &&
    isSmall(end) &&
    bytes + bytesOf(end) <= mostBytesTogether
  ) {
    bytes += bytesOf(end);
    end += 1;
  }
  return end;
}

const mostTogether = 1024;
const mostBytesTogether = 128 << 20;

/** Errors of one file are reported at the end. Errors of the store or the machine stop the ingest. */
function refusal(
  file: string,
  error: unknown,
  { folder, signal }: IngestOptions,
): { readonly kind: 'told'; readonly entry: IngestedFile; readonly adopted?: undefined } {
  const told = unreadable(file, error) ?? toStoreError(error, folder, signal);
  if (!(told instanceof SluiceError) || told instanceof AbortedError || ofTheStore.has(told.code)) throw told;
  return { kind: 'told', entry: untouched(sourceName(file), 'refused', { error: told }) };
}

/** The error of an input that the system does not let sluice read; undefined for other errors. */
function unreadable(file: string, error: unknown): SluiceError | undefined {
  const { path: of, syscall } = error as NodeJS.ErrnoException;
  return of === file || (of === undefined && syscall === 'read') ? toSystemError(error, file) : undefined;
}

const ofTheStore: ReadonlySet<SluiceErrorCode> = new Set([
  'disk-full',
  'store-unwritable',
  'store-damaged',
  'out-of-memory',
  'engine-closed',
]);

function adopt(
  known: KnownSources,
  source: StoreSource,
  batch: { readonly staged: Staged[]; readonly adopted: StoreSource[] },
): void {
  known.remove(source);
  known.add(source);
  const waiting = batch.staged.findIndex((staged) => staged.source.number === source.number);
  if (waiting >= 0) batch.staged[waiting] = { ...batch.staged[waiting]!, source };
  else batch.adopted.push(source);
}

function remember(known: KnownSources, { sources }: Committed): void {
  for (const source of sources) {
    known.remove(source);
    known.add(source);
  }
}

function openProgress({ files, onProgress }: IngestOptions, sizes: readonly number[]) {
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  const tell = (index: number, within: number) =>
    onProgress?.({
      file: index + 1,
      files: files.length,
      path: path.basename(sourceName(files[index]!)),
      bytes: done + Math.min(within, sizes[index]!),
      totalBytes,
    });
  return {
    start(index: number) {
      let within = 0;
      tell(index, 0);
      return (count: number) => tell(index, (within += count));
    },
    finish(index: number) {
      done += sizes[index]!;
      tell(index, 0);
    },
  };
}

function toReport(
  writer: StoreWriter,
  entries: readonly IngestedFile[],
  files: readonly string[],
  removed: number,
): IngestReport {
  const order = new Map(files.map((file, index) => [sourceName(file), index]));
  const sum = (count: (entry: IngestedFile) => number) => entries.reduce((total, entry) => total + count(entry), 0);
  const { segments, pruned } = writer.manifest;
  return {
    folder: writer.folder,
    removed,
    files: entries.toSorted((one, other) => order.get(one.file)! - order.get(other.file)!),
    added: sum(({ added }) => added),
    known: sum((entry) => entry.known),
    forgotten: sum(({ forgotten }) => forgotten),
    pruned: sum(({ pruned }) => pruned),
    ...(pruned !== undefined && { prunedBefore: writeUtc(pruned) }),
    rejected: sum(({ rejected }) => rejected),
    projects: [...new Set(segments.flatMap(({ projects }) => projects))].sort(),
    events: segments.reduce((total, { rows }) => total + rows, 0),
    again: writer.sources.filter(({ again }) => again === true).map(({ file }) => file),
  };
}

type Staged = Extract<StagedFile, { readonly kind: 'staged' }>;

interface Committed {
  readonly entries: readonly IngestedFile[];
  /** The new and changed sources. */
  readonly sources: readonly StoreSource[];
  /** Removed events of older revisions. */
  readonly removed: number;
}

/** Commits staged files to the store at once, replacing the sources that they supersede. */
async function commitStaged(
  writer: StoreWriter,
  staged: readonly Staged[],
  adopted: readonly StoreSource[],
  nextSource: number,
): Promise<Committed> {
  // A later file of the same command may already have replaced an earlier one.
  const replacedNow = new Set(staged.flatMap(({ replaces }) => replaces?.number ?? []));
  const live = staged.filter(({ source }) => !replacedNow.has(source.number));
  const histories = new Map<number, History>();
  for (const one of staged) {
    const { replaces, source } = one;
    if (!replaces) continue;
    const before = { ...replaces, ...histories.get(replaces.number) };
    histories.set(source.number, await historyOf(writer.folder, one, before));
  }
  const parts = [...new Set(live.map(({ read, source }) => labelled(read.part, source.number, histories)))].filter(
    ({ rows }) => rows > 0,
  );
  const replaced = writer.sources.filter(({ number }) => replacedNow.has(number)).flatMap(numbersOf);
  const { segments } = writer.manifest;
  const paths = segments.map((segment) => segmentPath(writer.folder, segment));
  const dropped = await findRowsToDrop(writer, { parts, segments, replaced });
  const before =
    replaced.length === 0 || segments.length === 0
      ? 0
      : Number(
          (await writer.rows(`SELECT count(*) FROM ${rowsOf(paths)} WHERE source IN (${replaced.join(', ')})`))[0]?.[0],
        );

  const others = writer.sources.filter(({ number }) => !replacedNow.has(number));
  const repeated = new Map<number, RepeatedRows | undefined>();
  for (const { source, read, replaces } of live)
    if (!replaces && !source.window)
      repeated.set(source.number, await findRepeatedRows(writer, source, read.part, others));

  const changed = new Map(adopted.map((source) => [source.number, source]));
  const holders = new Map(
    writer.sources.flatMap((source) => numbersOf(source).map((number) => [number, source.number])),
  );
  for (const { source, read, replaces } of live) {
    const { known = 0, forgotten = 0, pruned = 0, behind = [] } = dropped.bySource.get(source.number) ?? {};
    const leaders = [...new Set(behind.map((number) => holders.get(number) ?? number))].filter(
      (number) => number !== source.number,
    );
    changed.set(source.number, {
      ...source,
      ...(isFirstOfWindow(source, replaces) ? { since: source.time } : histories.get(source.number)),
      rows: read.rows - known - forgotten - pruned,
      known,
      forgotten,
      ...(pruned > 0 && { pruned }),
      ...(leaders.length > 0 ? { behind: leaders } : {}),
    });
  }
  const kept = others.map((source) => changed.get(source.number) ?? source);
  const present = new Set(kept.map(({ number }) => number));
  const added = [...changed.values()].filter(({ number }) => !present.has(number));
  const sources = await markAgain(writer, staged, [...kept, ...added], parts);
  await writer.commit({
    segments: await fromWhole(writer, await laySegments(writer, parts, dropped, replaced)),
    sources,
    nextSource,
    removes: replaced.length > 0,
  });
  await dropped.drop();
  return {
    entries: staged.map((one) => ({
      ...toEntry(writer, one, changed.get(one.source.number)),
      repeated: repeated.get(one.source.number),
    })),
    removed: before,
    sources: writer.sources.filter((source) => changed.has(source.number) || source.again === true),
  };
}

/** Whether the store never had an older revision of a window, so that it lost none. */
function isFirstOfWindow({ window }: StoreSource, replaces: StoreSource | undefined): boolean {
  return replaces === undefined && (window?.revision ?? 1) > 1;
}

/**
 * Marks sources whose events were skipped because an older revision had them, if the newer revision lacks them. The
 * store no longer has these events; only reading the file again restores them.
 */
async function markAgain(
  writer: StoreWriter,
  staged: readonly Staged[],
  sources: readonly StoreSource[],
  parts: readonly Part[],
): Promise<readonly StoreSource[]> {
  let marked = sources;
  for (const { source, replaces } of staged) {
    if (!replaces || !marked.some(({ behind }) => behind?.includes(replaces.number))) continue;
    const lost = await lacksSome(
      writer,
      numbersOf(replaces),
      source.number,
      parts.filter(({ numbers }) => numbers.includes(source.number)),
    );
    marked = marked.map((one) => {
      if (!one.behind?.includes(replaces.number)) return one;
      return {
        ...one,
        behind: one.behind.map((number) => (number === replaces.number ? source.number : number)),
        ...(lost ? { again: true } : {}),
      };
    });
  }
  return marked;
}

async function lacksSome(
  writer: StoreWriter,
  numbers: readonly number[],
  newer: number,
  parts: readonly Part[],
): Promise<boolean> {
  const segments = writer.manifest.segments.map((segment) => segmentPath(writer.folder, segment));
  if (segments.length === 0) return false;
  const ids = (relation: string) =>
    `SELECT coalesce(project_id, '') AS project, event_id FROM ${relation} WHERE event_id <> ''`;
  const fresh =
    parts.length === 0
      ? `SELECT '' AS project, '' AS event_id WHERE false`
      : `${ids(rowsOf(parts.map(({ path: file }) => file)))} AND source = ${newer}`;
  const [row] = await writer.rows(
    `SELECT count(*) > 0 FROM (${ids(rowsOf(segments))} AND source IN (${numbers.join(', ')})) AS old
      ANTI JOIN (${fresh}) AS fresh USING (project, event_id)`,
  );
  return row?.[0] === true;
}

function toEntry(
  writer: StoreWriter,
  { source, read, replaces, grown }: Staged,
  final: StoreSource | undefined,
): IngestedFile {
  return {
    file: source.file,
    outcome: replaces ? 'replaced' : 'added',
    format: source.format,
    entities: read.entities,
    recognition: read.recognition,
    recognised: read.recognised,
    project: source.project,
    added: final?.rows ?? 0,
    known: final?.known ?? 0,
    forgotten: final?.forgotten ?? 0,
    pruned: final?.pruned ?? 0,
    rejected: source.rejected,
    rejectedExamples: read.rejected.examples,
    rejectedFile:
      source.rejectedFile === undefined ? undefined : path.join(rejectedFolder(writer.folder), source.rejectedFile),
    earlier: replaces,
    ...(grown && { grown }),
  };
}
