import { readFile } from 'node:fs/promises';
import { writeOwnFile } from '../../file/owner-only.ts';

/** Commits are pushed some time after they are made, so this much is read again. */
export const overlapMs = 30 * 86_400_000;

/** The progress of syncing a list; times are UTC, as in its rows. */
export interface SyncState {
  /** There is no gap after this time; null if the list is always fetched as a whole. */
  readonly since: string | null;
  /** The end of the last complete sync; null if there was none. */
  readonly until: string | null;
  /** Where an interrupted sync stopped; null if none was interrupted. */
  readonly resume: string | null;
  /** When everything from `since` on was last read; only for lists whose records may arrive late. */
  readonly whole?: string | undefined;
}

/** undefined if it was never synced or the file cannot be read. */
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
