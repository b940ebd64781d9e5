import { openSemaphore, type Semaphore } from '../semaphore.ts';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { throwIfAborted } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { writeRange, writeUtc } from '../../ask/time/local-time.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { Engine } from '../duckdb/engine/engine.ts';
import type { Clock } from '../http/clock.ts';
import type { SpooledWindow } from './fetch-together.ts';
import { fetchWindows } from './fetch-window.ts';
import { commitUnit, makeUnitFolder, unfinishedPath } from './files/commit-unit.ts';
import { type ExportManifest, manifestPathOf } from './files/export-manifest.ts';
import { type ExportRecord, findExportRecord, keepExportRecord } from './files/export-record.ts';
import { type HashThread, openHashThread } from './files/hash-thread.ts';
import { noHasher, openHasher } from './files/hasher.ts';
import { listUnits, type Unit, type UnitListing, unitPath } from './files/list-units.ts';
import { openSpoolFile } from './files/spool-file.ts';
import { describeForm, endingOf, type UnitForm } from './files/unit-form.ts';
import { demandFit, isSpoolForm, writeUnit } from './files/write-unit.ts';
import { closedPart, findChanged, findOverlap, planWindows } from './plan-windows.ts';
import { ExportError, toExportError } from './rows/export-error.ts';
import type { ExportSource } from './rows/export-source.ts';
import type { FetchedWindow } from './rows/window.ts';
import {
  type ExportProgress,
  openWindowQueue,
  type QueuedWindow,
  type UnsettledWindow,
  type WindowQueue,
} from './window-queue.ts';
import { isThere } from '../file/is-there.ts';

/**
 * Which committed windows are exported again as a new revision: those whose number of events changed (`true`), or, by
 * fetching all of them, also those whose events changed (`contents`).
 */
export type Recheck = boolean | 'contents';

export interface RunOptions {
  readonly source: ExportSource;
  /** Absolute path of an existing folder that the caller has locked. */
  readonly folder: string;
  readonly record: ExportRecord;
  /** The form of the data files, if it differs from the record's. */
  readonly unitForm?: UnitForm | undefined;
  /** Leaves out windows that end later, because they are still open. Epoch milliseconds. */
  readonly closedUntil: number;
  /** Writes rows as Parquet; not needed otherwise. */
  readonly engine: Engine | undefined;
  readonly clock: Clock;
  readonly recheck?: Recheck | undefined;
  /** Number of windows fetched at once. */
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

export interface RunReport {
  /** All committed windows, ordered by start. */
  readonly units: readonly Unit[];
  /** The windows that this run added. */
  readonly added: readonly Unit[];
  /** The range of all runs together, and the closed part of it. */
  readonly range: TimeRange;
  readonly closed: TimeRange;
  readonly unsettled: readonly UnsettledWindow[];
  /** Files that do not belong to the export. */
  readonly foreign: readonly string[];
}

/**
 * Fetches the missing windows of an export, several at once, and commits each separately. After an interruption, the
 * same call resumes. Windows that do not settle are left out and reported. Errors: those of `openExportFolder`,
 * `writeUnit` and the source; `file-in-the-way`, `disk-full`, `export-unwritable`, `AbortedError`.
 */
export async function runExport(options: RunOptions): Promise<RunReport> {
  const { folder, record, signal, source, concurrency } = options;
  try {
    throwIfAborted(signal);
    const opened = await openExportFolder(folder, record, options.unitForm === undefined);
    const present = closedPart(opened.range, options.closedUntil);
    // The clock of an earlier run may have closed a window that is open by this run's clock.
    const closed = {
      start: present.start,
      end:
        opened.units.find(({ window }) => window.start < present.end && present.end < window.end)?.window.end ??
        present.end,
    };
    const queue = openWindowQueue(opened.units, options.onProgress);
    const writing = openSemaphore(writtenAtOnce);
    await using hashing = openHashThread();
    const stop = new AbortController();
    const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const missing = planWindows(source, closed, {
      zone: opened.zone,
      committed: opened.units.map(({ window }) => window),
      signal: until,
    });
    const windows = options.recheck ? chain(toRecheck(source, opened.units, options.recheck, until), missing) : missing;
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown) => {
      failure ??= { error };
      stop.abort();
      queue.stop();
    };
    const worker = async () => {
      let finishing: Promise<void> | undefined;
      try {
        for (;;) {
          const windows = await queue.next(source.together);
          if (windows.length === 0) break;
          throwIfAborted(until);
          const finish = await fetchWhole(
            windows,
            { ...options, signal: until },
            { zone: opened.zone, queue, writing, hashing },
          );
          // Write these windows while the next ones are fetched.
          await finishing;
          finishing = finish().catch(fail);
        }
      } finally {
        await finishing;
      }
    };
    // A source that returns several windows at once answers one request after another.
    const workers = source.together > 0 ? Math.min(2, concurrency) : concurrency;
    await Promise.all([
      queue.fill(windows, until).catch(fail),
      ...Array.from({ length: workers }, () => worker().catch(fail)),
    ]);
    if (failure) throw failure.error;
    const replaced = new Set(queue.added.map(({ window }) => window.start));
    const units = [...opened.units.filter(({ window }) => !replaced.has(window.start)), ...queue.added].sort(
      (one, other) => one.window.start - other.window.start,
    );
    const first = units.find(({ manifest }) => manifest.events > 0)?.window.start ?? -Infinity;
    const isBefore = ({ window }: Unit | UnsettledWindow) => window.end <= first;
    if (source.expires && queue.added.some(isBefore) && !queue.unsettled.some(isBefore))
      source.habits.note({
        code: 'source-expired',
        text: `The source has no events before ${writeUtc(first)}, or has discarded them.`,
      });
    return {
      units,
      added: queue.added,
      range: opened.range,
      closed,
      unsettled: queue.unsettled,
      foreign: opened.foreign,
    };
  } catch (error) {
    throw toExportError(error, folder, signal);
  }
}

/** Writing takes memory, and more than one writer per core saves no time. */
const writtenAtOnce = 2;

interface RunParts {
  readonly zone: string;
  readonly queue: WindowQueue;
  readonly writing: Semaphore;
  readonly hashing: HashThread;
}

async function* toRecheck(
  source: ExportSource,
  units: readonly Unit[],
  recheck: Recheck,
  signal: AbortSignal,
): AsyncGenerator<QueuedWindow, void, undefined> {
  const windows = units.map((unit) => ({ ...unit.window, events: unit.manifest.events, unit }));
  const changed = await findChanged(source, windows, signal);
  const counts = new Map(changed.map(({ window, counted }) => [window.unit, counted]));
  const expired = findExpired(source, windows, (unit) => counts.get(unit));
  for (const { start, end, events, unit } of windows)
    if (!expired.has(unit) && (recheck === 'contents' || counts.has(unit)))
      yield { start, end, events: counts.get(unit) ?? events, replaces: unit };
}

/**
 * The first windows, if the source has no or fewer events of them and none from before. After its retention period a
 * source discards events from the oldest on, and the export may be their only copy. `countOf`: undefined if unchanged.
 */
function findExpired(
  source: ExportSource,
  windows: readonly (TimeRange & { readonly events: number; readonly unit: Unit })[],
  countOf: (unit: Unit) => number | undefined,
): ReadonlySet<Unit> {
  const expired = new Set<Unit>();
  let lost = 0;
  let until = 0;
  for (const { end, events, unit } of windows) {
    const counted = countOf(unit) ?? events;
    // People erase events of local sources, so a part of the first window proves nothing.
    if (counted > events || (counted > 0 && (counted === events || (lost === 0 && !source.expires)))) break;
    expired.add(unit);
    lost += events - counted;
    until = end;
    if (counted > 0) break;
  }
  if (lost > 0)
    source.habits.note({
      code: 'source-expired',
      text:
        `The source no longer has all events before ${writeUtc(until)}, such as after a retention period. ` +
        'Their exported windows are kept.',
    });
  return expired;
}

async function* chain<T>(...parts: readonly AsyncIterable<T>[]): AsyncGenerator<T, void, undefined> {
  for (const part of parts) yield* part;
}

/**
 * Fetches windows into files of their own. The returned function writes and commits them. Removes all temporary files,
 * even after errors.
 */
async function fetchWhole(
  windows: readonly QueuedWindow[],
  options: RunOptions,
  parts: RunParts,
): Promise<() => Promise<void>> {
  const opened: OpenWindow[] = [];
  const clear = async () => {
    for (const each of opened) await each.clear();
  };
  try {
    for (const window of windows) opened.push(await openWindow(window, options, parts));
    const fetched = await fetchWindows(options.source, opened, options);
    throwIfAborted(options.signal);
    const finish = async () => {
      for (const [index, each] of opened.entries()) {
        await each.finish(fetched[index]!);
        await each.clear();
      }
    };
    return () => finish().finally(clear);
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A window whose rows are received in a temporary file. */
interface OpenWindow extends SpooledWindow {
  /** Writes and commits it. */
  finish(fetched: FetchedWindow): Promise<void>;
  /** Removes the temporary files. */
  clear(): Promise<void>;
}

async function openWindow(
  window: QueuedWindow,
  options: RunOptions,
  { zone, queue, writing, hashing }: RunParts,
): Promise<OpenWindow> {
  const { folder, record, source, clock, signal, unitForm: form = record.form } = options;
  const revision = (window.replaces?.manifest.revision ?? 0) + 1;
  const file = path.join(folder, unitPath(window, revision, zone, endingOf(form)));
  const unfinished = unfinishedPath(file);
  const isSpool = isSpoolForm(form);
  const spoolPath = isSpool ? unfinished : `${unfinished}.rows`;
  await makeUnitFolder(file);
  if (await isThere(file)) {
    throw new ExportError(`${file} already exists without a manifest, so its content is unknown.`, {
      code: 'file-in-the-way',
      hint: 'Move it elsewhere, and run the same command again.',
    });
  }
  const spool = await openSpoolFile(
    spoolPath,
    isSpool ? (window.events < leastForThread ? openHasher() : hashing.open()) : noHasher,
  );
  const clear = async () => {
    await spool[Symbol.asyncDispose]();
    for (const left of new Set([spoolPath, unfinished])) await rm(left, { force: true });
  };

  const finish = async (fetched: FetchedWindow) => {
    if (!fetched.settled) return queue.leaveOut(window, fetched.why ?? 'Its events kept changing.');
    const written = await (isSpool
      ? spool.finish(true)
      : writing.run(() =>
          writeUnit({
            engine: options.engine,
            columns: source.query.columns,
            form,
            spools: [spoolPath],
            target: unfinished,
            signal,
          }),
        ));
    if (options.unitForm !== undefined)
      await demandFit({ ...options, columns: source.query.columns, form: record.form, spools: [spoolPath] });
    throwIfAborted(signal);
    if (window.replaces?.manifest.sha256 === written.sha256) return queue.keep(window);
    const manifest: ExportManifest = {
      query: record.query,
      window: writeRange(window),
      revision,
      rows: form.expand ? fetched.events : fetched.rows,
      events: fetched.events,
      sha256: written.sha256,
      bytes: written.bytes,
      project: record.project,
      source: record.source,
      time: writeUtc(clock.now()),
    };
    await commitUnit(file, unfinished, manifest);
    // Remove the file first: a manifest without a file is ignored.
    if (window.replaces)
      for (const older of [window.replaces.file, manifestPathOf(window.replaces.file)])
        await rm(older, { force: true });
    queue.commit(window, { file, bytes: written.bytes, window: { start: window.start, end: window.end }, manifest });
  };

  return { window, spool, finish, clear };
}

/** Windows with fewer events are hashed faster than a thread starts. */
const leastForThread = 10_000;

/** The contents of an export folder before a run adds to it. */
interface OpenedFolder {
  /** The range of all runs so far and this one. */
  readonly range: TimeRange;
  /** The zone of the folders' days. */
  readonly zone: string;
  readonly units: readonly Unit[];
  /** Files that do not belong to the export. They are not changed. */
  readonly foreign: readonly string[];
}

/**
 * Prepares a folder for an export or resumes the export in it, and removes files of stopped writers. The caller must
 * hold its lock. Errors: `export-of-something-else` if the folder has another query, source or form, or (if the export
 * cannot grow) another range; `export-apart` if its range is disconnected; `export-damaged`,
 * `export-record-unreadable`.
 */
async function openExportFolder(folder: string, wanted: ExportRecord, grows: boolean): Promise<OpenedFolder> {
  const listing = await listUnits(folder);
  const recorded = await findExportRecord(folder);
  // An export that failed before its first window binds no further one.
  const found = listing.units.length > 0 || listing.damaged.length > 0 ? recorded : undefined;
  if (found) demandSame(folder, found, wanted);
  if (found && !grows) demandSameTime(folder, found.range, wanted.range);
  demandWhole(folder, listing, found ?? wanted);
  const range = found ? joined(folder, found.range, wanted.range) : wanted.range;
  for (const file of listing.leftovers) await rm(file, { force: true });
  const record = { ...wanted, zone: found?.zone ?? wanted.zone, range };
  if (!found || range.start !== found.range.start || range.end !== found.range.end)
    await keepExportRecord(folder, record);
  return { range, zone: record.zone, units: listing.units, foreign: listing.foreign };
}

/** Throws if two exports do not have the same rows in the same form. */
function demandSame(place: string, found: ExportRecord, wanted: ExportRecord): void {
  const differences = [
    ...(found.query === wanted.query ? [] : [differenceOf(found.dimensions, wanted.dimensions)]),
    ...(found.project === wanted.project
      ? []
      : [`of project ${found.project ?? '(none)'}, not ${wanted.project ?? '(none)'}`]),
    ...(found.source === wanted.source
      ? []
      : [`from ${found.source || 'nowhere'}, not from ${wanted.source || 'nowhere'}`]),
    ...(describeForm(found.form) === describeForm(wanted.form)
      ? []
      : [`as ${describeForm(found.form)}, not as ${describeForm(wanted.form)}`]),
  ];
  if (differences.length === 0) return;
  throw new ExportError(`${place} already contains a different export: ${differences.join('; ')}.`, {
    code: 'export-of-something-else',
    hint: 'Use the same settings, or export to another place.',
  });
}

function demandSameTime(folder: string, found: TimeRange, wanted: TimeRange): void {
  if (found.start === wanted.start && found.end === wanted.end) return;
  throw new ExportError(
    `${folder} contains windows of another range: ${writeUtc(found.start)} to ${writeUtc(found.end)}.`,
    {
      code: 'export-of-something-else',
      hint: 'Finish that export first, remove this folder, or specify another file.',
    },
  );
}

function differenceOf(found: readonly string[], wanted: readonly string[]): string {
  const without = wanted.filter((name) => !found.includes(name));
  const more = found.filter((name) => !wanted.includes(name));
  const named = (names: readonly string[]) =>
    `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
  const said = [
    ...(without.length > 0 ? [`without ${named(without)}`] : []),
    ...(more.length > 0 ? [`with ${named(more)}`] : []),
  ];
  return said.length > 0 ? said.join(' and ') : 'of another query';
}

function demandWhole(folder: string, { damaged, units }: UnitListing, record: ExportRecord): void {
  const shown = (file: string) => path.relative(folder, file);
  const [first, ...more] = [
    ...damaged.map(({ file, what }) => `${shown(file)} ${what}`),
    ...units
      .filter(({ manifest }) => manifest.query !== record.query)
      .map(({ file }) => `${shown(file)} is of another query`),
    ...units
      .filter(({ manifest }) => manifest.project !== record.project)
      .map(({ file, manifest }) => `${shown(file)} is of project ${quote(manifest.project ?? '(none)')}`),
    ...findOverlap(units).map(([one, other]) => `${shown(one.file)} and ${shown(other.file)} overlap`),
  ];
  if (first === undefined) return;
  throw new ExportError(
    `The export in ${folder} is damaged: ${first}${more.length > 0 ? `; and ${more.length} more` : ''}.`,
    {
      code: 'export-damaged',
      hint:
        'Nothing was overwritten. ' +
        'Remove each such file with its manifest, and run the same command again to export its window again.',
    },
  );
}

function joined(folder: string, one: TimeRange, other: TimeRange): TimeRange {
  if (other.start > one.end || one.start > other.end) {
    throw new ExportError(
      `The export in ${folder} covers another range, and events between the ranges would be missing.`,
      {
        code: 'export-apart',
        hint: 'Use a range that meets the existing one, or export to another folder.',
      },
    );
  }
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
}
