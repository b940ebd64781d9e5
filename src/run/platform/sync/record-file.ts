import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { BackendError } from '../../../ask/sluice-error.ts';
import { ownColumns, type StoredColumn, type SyncedCube } from '../../../plan/platform/synced-cube.ts';
import { writeOwnFile } from '../../file/owner-only.ts';
import { unlessMissing } from '../../file/system-error.ts';

/** A stored row: texts, numbers and booleans by column; times are UTC, `2024-03-08T12:00:00.000`. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** The files of a cube, one for each scope; none if it was never synced. */
export async function listRecordFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.ndjson'));
  return names.sort().map((file) => path.join(folder, file));
}

/** The stored rows of a cube and a scope, in the order in which they were first seen. Empty if there is no file. */
export async function readRows(file: string): Promise<readonly Row[]> {
  const text = (await unlessMissing(readFile(file, 'utf8'))) ?? '';
  try {
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
  } catch (cause) {
    throw new BackendError(`${file} is damaged.`, {
      code: 'data-unreadable',
      cause,
      hint: 'Remove it, and sync again from the day it began: `sluice sync --since DATE`.',
    });
  }
}

/** The file appears complete or not at all, and only its owner can read it. */
export function writeRows(file: string, rows: readonly Row[], signal?: AbortSignal): Promise<void> {
  return writeOwnFile(file, toLines(rows), signal);
}

function* toLines(rows: readonly Row[]): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** The stored part of a record: only the columns of its cube. `beside`: values that paths with `:` name. */
export function toRow(
  { columns }: SyncedCube,
  record: unknown,
  beside: Readonly<Record<string, unknown>>,
  own: { readonly scope: string; readonly now: string },
): Row {
  const values = Object.entries(columns).map(([name, column]) => [
    name,
    valueOf(column, record, { ...beside, now: own.now }),
  ]);
  return { ...(Object.fromEntries(values) as Row), scope: own.scope, first_seen: own.now, deleted_at: null };
}

function valueOf(
  { from, type = 'text', hostOnly }: StoredColumn,
  record: unknown,
  beside: Readonly<Record<string, unknown>>,
) {
  const found = [from]
    .flat()
    .map((path) => (path.startsWith(':') ? beside[path.slice(1)] : at(record, path.split('.'))))
    .find((value) => value !== null && value !== undefined);
  if (found === undefined) return null;
  if (type === 'time' || type === 'day') return toUtc(String(found));
  if (type === 'number') return typeof found === 'number' ? found : null;
  if (type === 'boolean') return found === true;
  const text = typeof found === 'object' ? JSON.stringify(found) : String(found as string | number);
  if (!hostOnly) return text;
  return URL.canParse(text) ? new URL(text).host : null;
}

function at(record: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return record;
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, name)) return undefined;
  return at((record as Readonly<Record<string, unknown>>)[name], rest);
}

/** Null if it is not a time. A day begins at midnight UTC. */
function toUtc(text: string): string | null {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : new Date(instant).toISOString().slice(0, -1);
}

/** The number of added, changed and deleted rows. */
export interface Merged {
  readonly rows: readonly Row[];
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
}

/**
 * Merges fetched rows into the stored rows, unique by key. `isWithin`: true for stored rows that the fetch would have
 * returned if they still existed; without it nothing is deleted.
 */
export function mergeRows(
  cube: SyncedCube,
  stored: readonly Row[],
  came: readonly Row[],
  now: string,
  isWithin?: (row: Row) => boolean,
): Merged {
  if (cube.walk.kind === 'changes') return mergeChanges(cube.key, cube.walk.of, stored, came);
  const keyOf = keyIn(cube);
  const rows = new Map(stored.map((row) => [keyOf(row), row]));
  const fresh = new Map(came.map((row) => [keyOf(row), row]));
  const tally = { added: 0, changed: 0, deleted: 0 };
  for (const [key, row] of fresh) {
    const before = rows.get(key);
    // Keep values that only the first sync could know.
    const after = before ? { ...row, first_seen: before['first_seen']!, ...timeSeen(cube, before, row, now) } : row;
    if (before === undefined) tally.added += 1;
    else if (JSON.stringify(before) !== JSON.stringify(after)) tally.changed += 1;
    rows.set(key, after);
  }
  for (const row of isWithin ? findMissing(cube, stored, came, isWithin) : []) {
    rows.set(keyOf(row), { ...row, deleted_at: now });
    tally.deleted += 1;
  }
  return { rows: [...rows.values()], ...tally };
}

function keyIn({ key }: SyncedCube): (row: Row) => string {
  return (row) => JSON.stringify(key.map((name) => row[name]));
}

/** Stored rows that were not deleted and that the fetch would have returned if they still existed. */
export function findMissing(
  cube: SyncedCube,
  stored: readonly Row[],
  came: readonly Row[],
  isWithin: (row: Row) => boolean,
): readonly Row[] {
  const keyOf = keyIn(cube);
  const fresh = new Set(came.map(keyOf));
  return stored.filter((row) => row['deleted_at'] === null && isWithin(row) && !fresh.has(keyOf(row)));
}

/** If a record has no time and the present was used instead, keep the time of the first sync. */
function timeSeen({ columns }: SyncedCube, before: Row, row: Row, now: string): Row {
  const names = Object.keys(columns).filter(
    (name) => [columns[name]!.from].flat().includes(':now') && row[name] === now,
  );
  return Object.fromEntries(names.map((name) => [name, before[name]!]));
}

function mergeChanges(
  key: readonly string[],
  of: readonly string[],
  stored: readonly Row[],
  came: readonly Row[],
): Merged {
  const names = key.filter((name) => !Object.hasOwn(ownColumns, name));
  const keyOf = (row: Row) => JSON.stringify(names.map((name) => row[name]));
  const last = new Map(stored.map((row) => [keyOf(row), row]));
  const rows = [...stored];
  for (const row of came) {
    const before = last.get(keyOf(row));
    if (before && of.every((name) => before[name] === row[name])) continue;
    rows.push(row);
    last.set(keyOf(row), row);
  }
  return { rows, added: rows.length - stored.length, changed: 0, deleted: 0 };
}
