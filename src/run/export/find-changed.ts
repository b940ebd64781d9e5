import { day } from '../../ask/time/granularity.ts';
import type { ExportSource } from './rows/export-source.ts';
import type { Window } from './rows/window.ts';
import { openTally, type Tally } from './tally.ts';

/** Hours of so many days are counted by one query, in fewer rows than any server gives at once. */
const longest = 400 * day;

/** A window of which the source counts other events than it did. */
export interface ChangedWindow<T extends Window> {
  readonly window: T;
  readonly counted: number;
}

/**
 * Counts windows, in their order and apart, once more: those that have changed since. What has come and what has gone
 * may hide each other. Rejects as `Backend.run`.
 */
export async function findChanged<T extends Window>(
  source: ExportSource,
  windows: readonly T[],
  signal?: AbortSignal,
): Promise<readonly ChangedWindow<T>[]> {
  const changed: ChangedWindow<T>[] = [];
  let until = -Infinity;
  let tally: Tally | undefined;
  for (const [index, window] of windows.entries()) {
    if (!tally || window.end > until) {
      until = windows.slice(index).findLast(({ end }) => end - window.start <= longest)?.end ?? window.end;
      tally = openTally(source, { start: window.start, end: until });
    }
    const counted = await tally.count(window, signal);
    if (counted !== window.events) changed.push({ window, counted });
  }
  return changed;
}
