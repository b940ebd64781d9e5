import { throwIfAborted } from '../../ask/sluice-error.ts';
import { second } from '../../ask/time/granularity.ts';
import type { Clock } from '../http/clock.ts';
import { countFallen, type FetchedRange, fetchRange } from './fetch-range.ts';
import type { ExportSource, Habits } from './rows/export-source.ts';
import type { FetchedWindow, Spool, Window } from './rows/window.ts';

export interface FetchOptions {
  /** A window that changes is left alone for a moment before it is fetched again. */
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Before the second, third and fourth time. Servers keep an answer for some seconds. */
const pauses = [second, 5 * second, 15 * second] as const;

/**
 * Fetches the rows of a window into the spool, in the query's order, and does not believe what it gets: what their counts
 * add up to must be what the source counts, before and after. What does not settle is fetched again, and told in the end.
 * Rejects as `ExportSource` does, and with `AbortedError`.
 */
export async function fetchWindow(source: ExportSource, window: Window, spool: Spool, { clock, signal }: FetchOptions): Promise<FetchedWindow> {
  let before = window.events;
  let last: FetchedRange | undefined;
  for (let attempts = 1; ; attempts += 1) {
    throwIfAborted(signal);
    const found = await fetchRange(source, window, before, spool, signal);
    const after = await source.count(window, signal);
    const facts = { rows: found.rows, events: found.events, counted: { before, after }, attempts };
    const why = whyUnsettled(found, before, after);
    const repeats = why === undefined && !source.habits.alike && found.repeated > 0;
    // Once more the same is what the source has; a fault would not be repeated to the row.
    if (repeats && last?.repeated === found.repeated && last.rows === found.rows && last.events === found.events) noteAlike(source.habits);
    if (why === undefined && (!repeats || source.habits.alike)) return { ...facts, settled: true, why };
    if (after < before && (await countFallen(source, window, signal)) > 0) return { ...facts, settled: false, why: tooFine };
    const pause = pauses[attempts - 1];
    if (pause === undefined) return { ...facts, settled: false, why: why ?? `The source gave rows twice in one answer, ${found.repeated} of them.` };
    if (before !== after) source.habits.note({ code: 'source-changed', text: 'The source changed while it was exported: windows that changed are fetched again.' });
    if (!repeats) await clock.sleep(pause, signal);
    before = await source.count(window, signal);
    last = found;
  }
}

function noteAlike(habits: Habits): void {
  habits.alike = true;
  habits.note({ code: 'rows-alike', text: 'The source has rows that are alike in all that it shows, as its instants are finer than a millisecond: each stands for events of its own.' });
}

const tooFine = 'Its last millisecond has events that the source does not count to it when it is asked for the window, as their instants are finer.';

function whyUnsettled({ events, why }: FetchedRange, before: number, after: number): string | undefined {
  if (why !== undefined) return why;
  if (before !== after) return `The source counted ${before} events before its rows were fetched, and ${after} after.`;
  return events === before ? undefined : `The rows stand for ${events} events, and the source counts ${before}.`;
}
