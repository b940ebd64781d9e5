import { catalogue } from '../../../ask/platform/catalogue.ts';
import type { Operation } from '../../../ask/platform/operation.ts';
import { type SluiceError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { day } from '../../../ask/time/granularity.ts';
import type { SyncedCube } from '../../../plan/platform/synced-cube.ts';
import { ApiError } from '../../http/http-error.ts';
import { type ApiService, listAll } from '../api/open-platform-api.ts';
import { writeLocal } from '../../../ask/time/local-time.ts';
import { overlapMs, readSyncState, readTime, type SyncState, writeSyncState } from './sync-state.ts';
import { findMissing, type Merged, mergeRows, readRows, type Row, toRow, writeRows } from './record-file.ts';

interface SyncCubeOptions {
  readonly service: ApiService;
  readonly file: string;
  /** Project, group, or the host of the instance. */
  readonly scope: string;
  /** The end of the last window in epoch milliseconds. */
  readonly now: number;
  /** The start of the windows in epoch milliseconds; overrides the stored state. */
  readonly since?: number | undefined;
  /** For cubes with one list per number from the caller. */
  readonly given?: readonly number[] | undefined;
  readonly onProgress?: ((rows: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Tally = Omit<Merged, 'rows'> & { readonly rows: number };

interface Synced {
  readonly tally: Tally;
  /** The first error, if parts of the list could not be read. Their stored rows are kept. */
  readonly error?: SluiceError | undefined;
}

/** Length of a window. Each is stored when it is complete, so that an interruption costs little. */
const windowMs = 30 * day;
/** All windows are read again at this interval, to find records that arrived even later. */
const wholeEveryMs = 7 * day;
/** The default start of the first sync. */
const usualHistoryMs = 365 * day;

/**
 * Fetches the records of a cube and rewrites its file; the same records produce the same bytes. Records that seem
 * deleted are requested twice, because a deletion on an earlier page moves others across the border of two pages.
 * Errors: those of the operations, `data-unreadable`, and those of writing.
 */
export async function syncCube(cube: SyncedCube, options: SyncCubeOptions): Promise<Synced> {
  const { file, now, signal } = options;
  const stamp = writeLocal(now);
  const sum = { added: 0, changed: 0, deleted: 0 };
  let rows = await readRows(file);
  const take = async (came: readonly Row[], isWithin?: (row: Row) => boolean) => {
    throwIfAborted(signal);
    const merged = mergeRows(cube, rows, came, stamp, isWithin);
    for (const name of ['added', 'changed', 'deleted'] as const) sum[name] += merged[name];
    const isSame = merged.added + merged.changed + merged.deleted === 0;
    rows = merged.rows;
    if (!isSame) await writeRows(file, rows, signal);
  };
  const { walk } = cube;
  let error: SluiceError | undefined;
  if (walk.kind === 'windows') {
    const all: Row[] = [];
    const before = rows.length === 0 ? undefined : await readSyncState(file);
    const first = startOf(cube, before, options);
    const since = sinceOf(before, first);
    const fetchWindow = async ([from, to]: Windows[number]) => {
      const asked = walk.days
        ? { [walk.from]: writeDay(from - day), [walk.to]: writeDay(to + day) }
        : { [walk.from]: `${writeLocal(from)}Z`, [walk.to]: `${writeLocal(to)}Z` };
      return (await fetchAll(cube, asked, options, stamp)).rows;
    };
    const timeOf = ({ [cube.time]: time }: Row) => Date.parse(`${String(time)}Z`);
    for (const window of windowsOf(first, now)) {
      const [, to] = window;
      const came = await fetchWindow(window);
      all.push(...came);
      await take(came);
      // Resume here after an interruption.
      await writeSyncState(file, { ...before, since, until: before?.until ?? null, resume: writeLocal(to) });
    }
    const isWhole = readTime(since) === first && !before?.resume;
    const whole = walk.late ? { whole: isWhole ? stamp : before?.whole } : {};
    // A record at the border of two windows may be in either, so only all windows together show deletions.
    const isInside = (row: Row) => timeOf(row) > first && timeOf(row) < now;
    if (walk.deletes) {
      const missing = findMissing(cube, rows, all, isInside).map(timeOf);
      for (const window of windowsOf(first, now))
        if (missing.some((at) => window[0] <= at && at <= window[1])) all.push(...(await fetchWindow(window)));
      await take(all, isInside);
    }
    await writeSyncState(file, { since, until: stamp, resume: null, ...whole });
  } else {
    const first = await fetchAll(cube, {}, options, stamp);
    const failed = new Map(first.failed);
    const came = [...first.rows];
    const isWithin = walk.kind === 'whole' ? isRead(cube, options, failed) : undefined;
    if (isWithin && findMissing(cube, rows, came, isWithin).length > 0) {
      const second = await fetchAll(cube, {}, options, stamp);
      came.push(...second.rows);
      for (const [part, why] of second.failed) failed.set(part, why);
    }
    await take(came, isWithin);
    [error] = failed.values();
    const until = error ? ((await readSyncState(file))?.until ?? null) : stamp;
    await writeSyncState(file, { since: null, until, resume: error ? stamp : null });
  }
  return { tally: { ...sum, rows: rows.length }, error };
}

/** Selects the rows of the parts that were read: of the requested numbers, or of all parents. */
function isRead(
  { given, each, columns }: SyncedCube,
  options: SyncCubeOptions,
  failed: Fetched['failed'],
): (row: Row) => boolean {
  const part = given ?? each?.field;
  const column = Object.keys(columns).find((name) => part !== undefined && columns[name]!.from === `:${part}`);
  if (column === undefined) return () => true;
  const asked = given === undefined ? undefined : options.given?.map(String);
  return (row) => !failed.has(String(row[column])) && (asked?.includes(String(row[column])) ?? true);
}

/**
 * The start of the sync: as the caller specifies; where an interrupted sync stopped; the very beginning if it is time
 * to read all again; otherwise some time before the last sync.
 */
function startOf({ walk }: SyncedCube, before: SyncState | undefined, { now, since }: SyncCubeOptions): number {
  if (since !== undefined) return since;
  if (before?.resume) return readTime(before.resume);
  const isLate = walk.kind === 'windows' && walk.late && before?.since;
  if (isLate && (before.whole === undefined || now - readTime(before.whole) >= wholeEveryMs))
    return readTime(before.since!);
  return before?.until ? readTime(before.until) - overlapMs : now - usualHistoryMs;
}

/** The start of the time without gaps. */
function sinceOf(before: SyncState | undefined, start: number): string {
  const reached = before?.resume ?? before?.until;
  const isJoined = before?.since && reached && start <= readTime(reached);
  return writeLocal(isJoined ? Math.min(start, readTime(before.since!)) : start);
}

type Windows = readonly (readonly [from: number, to: number])[];

/** Windows share their borders. Records in two windows are stored once. */
function windowsOf(start: number, now: number): Windows {
  const windows: [number, number][] = [];
  for (let from = start; from < now; from += windowMs) windows.push([from, Math.min(now, from + windowMs)]);
  return windows;
}

interface Fetched {
  readonly rows: readonly Row[];
  /** The parts of a list that could not be read: the number of the parent, and why. */
  readonly failed: ReadonlyMap<string, SluiceError>;
}

/** Statuses that say something about one part. After others, such as 401 and 503, the next part would fail as well. */
const partStatuses: ReadonlySet<number | undefined> = new Set([403, 404, 500]);

/** If some parts of a list fail, the others are still read. Rejects if all of them fail. */
async function fetchAll(
  cube: SyncedCube,
  asked: Readonly<Record<string, unknown>>,
  { service, scope, given = [], onProgress, signal }: SyncCubeOptions,
  now: string,
): Promise<Fetched> {
  const { operation, each, scopeParameter = 'id', parameters } = cube;
  const inScope = cube.scope === 'instance' ? {} : { [scopeParameter]: scope };
  const found: Row[] = [];
  const failed = new Map<string, SluiceError>();
  let parts = 0;
  const read = async (by: Readonly<Record<string, unknown>>, beside: Readonly<Record<string, unknown>>) => {
    const list = listAll(service, operationOf(operation), { ...inScope, ...parameters, ...asked, ...by }, signal);
    for await (const record of list) {
      found.push(toRow(cube, record, beside, { scope, now }));
      onProgress?.(found.length);
    }
  };
  const readPart = async (parameter: string, number: unknown, beside: Readonly<Record<string, unknown>>) => {
    parts += 1;
    try {
      await read({ [parameter]: number }, beside);
    } catch (error) {
      if (!(error instanceof ApiError && partStatuses.has(error.status))) throw error;
      failed.set(String(number), error);
    }
  };
  if (cube.given !== undefined) for (const value of given) await readPart(cube.given, value, { [cube.given]: value });
  else if (each === undefined) await read({}, {});
  else
    for await (const parent of listAll(service, operationOf(each.operation), inScope, signal)) {
      const fields = parent as Readonly<Record<string, unknown>>;
      await readPart(each.parameter, fields[each.field], fields);
    }
  const [error] = failed.values();
  if (error && failed.size === parts) throw error;
  return { rows: found, failed };
}

function operationOf([resource, operation]: readonly [string, string]): Operation {
  return (catalogue as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>)[resource]![operation]!;
}

function writeDay(instant: number): string {
  return writeLocal(instant).slice(0, 10);
}
