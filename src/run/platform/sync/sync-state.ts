import { readFile } from 'node:fs/promises';
import { writeOwnFile } from '../../file/owner-only.ts';

/** Commits are pushed some time after they are made; what came late is found by reading so much again. */
export const overlapMs = 30 * 86_400_000;

/** How far a list was synced; times are UTC, as in its rows. */
export interface SyncState {
  /** There is no gap from here on; null: the list is a whole. */
  readonly since: string | null;
  /** The end of the last sync that was whole; null: none was. */
  readonly until: string | null;
  /** Where a sync was ended; null: it was not. */
  readonly resume: string | null;
  /** When all from `since` on was last read; only of lists whose records may come late. */
  readonly whole?: string | undefined;
}

/** Undefined: it was never synced, or nobody can tell. */
export async function readSyncState(file: string): Promise<SyncState | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(file), 'utf8')) as SyncState;
  } catch {
    return undefined;
  }
}

export function writeSyncState(file: string, state: SyncState): Promise<void> {
  return writeOwnFile(stateFile(file), [`${JSON.stringify(state)}\n`]);
}

function stateFile(file: string): string {
  return file.replace(/\.ndjson$/, '.json');
}

/** Epoch milliseconds of a stored time. */
export function readTime(text: string): number {
  return Date.parse(`${text}Z`);
}
