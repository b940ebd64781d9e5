import { day } from '../../ask/time/duration.ts';
import type { ExportSource } from './export-source.ts';
import { openTally } from './tally.ts';
import type { Window } from './window.ts';

export interface ChangedWindow {
  readonly window: Window;
  /** Events that the source counts in it now. */
  readonly counted: number;
}

const mostDays = 400;

/** The windows, each with the events that were exported, in which the source by now counts another number; asked for by a few counts. Rejects as `Backend.run`. */
export async function findChanged(source: ExportSource, windows: readonly Window[], signal?: AbortSignal): Promise<readonly ChangedWindow[]> {
  const changed: ChangedWindow[] = [];
  const ordered = windows.toSorted((a, b) => a.start - b.start);
  for (let first = 0; first < ordered.length;) {
    const start = ordered[first]!.start;
    let after = first + 1;
    while (after < ordered.length && ordered[after]!.end - start <= mostDays * day) after += 1;
    const part = ordered.slice(first, after);
    const tally = openTally(source, { start, end: Math.max(...part.map(({ end }) => end)) });
    for (const window of part) {
      const counted = await tally.count(window, signal);
      if (counted !== window.events) changed.push({ window, counted });
    }
    first = after;
  }
  return changed;
}
