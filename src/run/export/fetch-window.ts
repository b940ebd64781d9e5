import { throwIfAborted } from '../../ask/sluice-error.ts';
import { second } from '../../ask/time/granularity.ts';
import type { Clock } from '../http/clock.ts';
import { fetchTogether, type SpooledWindow } from './fetch-together.ts';
import { countFallen, type FetchedRange, fetchRange } from './fetch-range.ts';
import type { ExportSource, Habits } from './rows/export-source.ts';
import type { FetchedWindow, Spool, Window } from './rows/window.ts';

interface FetchOptions {
  /** Used to wait before a changing window is fetched again. */
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Before the second, third and fourth attempt. Servers cache an answer for some seconds. */
const pauses = [second, 5 * second, 15 * second] as const;

/** Fetches neighbouring windows, together if the source can. The results are those of `fetchWindow`, in order. */
export async function fetchWindows(
  source: ExportSource,
  windows: readonly SpooledWindow[],
  options: FetchOptions,
): Promise<readonly FetchedWindow[]> {
  const together = windows.length > 1 ? await fetchTogether(source, windows, options.signal) : [];
  const fetched: FetchedWindow[] = [];
  for (const [index, { window, spool }] of windows.entries())
    fetched.push(together[index] ?? (await fetchWindow(source, window, spool, options)));
  return fetched;
}

/**
 * Fetches the rows of a window into the spool, in the query's order, and verifies them: their counts must add up to the
 * source's count before and after. Retries windows that do not settle, and reports them at the end. Rejects like
 * `ExportSource`, and with `AbortedError`.
 */
export async function fetchWindow(
  source: ExportSource,
  window: Window,
  spool: Spool,
  { clock, signal }: FetchOptions,
): Promise<FetchedWindow> {
  let before = window.events;
  let last: FetchedRange | undefined;
  for (let attempts = 1; ; attempts += 1) {
    throwIfAborted(signal);
    const found = await fetchRange(source, window, before, spool, signal);
    const after = await source.count(window, signal);
    const facts = { rows: found.rows, events: found.events, counted: { before, after }, attempts };
    const why = whyUnsettled(found, before, after);
    const repeats = why === undefined && !source.habits.alike && found.repeated > 0;
    // The source really has these rows if it returns the same again; a fault would not repeat exactly.
    if (repeats && last?.repeated === found.repeated && last.rows === found.rows && last.events === found.events)
      noteAlike(source.habits);
    if (why === undefined && (!repeats || source.habits.alike)) return { ...facts, settled: true, why };
    if (after < before && (await countFallen(source, window, signal)) > 0)
      return { ...facts, settled: false, why: tooFine };
    const pause = pauses[attempts - 1];
    if (pause === undefined)
      return {
        ...facts,
        settled: false,
        why: why ?? `The source returned ${found.repeated} rows twice in one response.`,
      };
    if (before !== after)
      source.habits.note({
        code: 'source-changed',
        text: 'The source changed during the export. Changed windows are fetched again.',
      });
    if (!repeats) await clock.sleep(pause, signal);
    before = await source.count(window, signal);
    last = found;
  }
}

function noteAlike(habits: Habits): void {
  habits.alike = true;
  habits.note({
    code: 'rows-alike',
    text:
      'The source has rows that look identical, because its times are finer than a millisecond. ' +
      'Each row counts different events.',
  });
}

const tooFine =
  'The source does not count some events in the last millisecond of the window, because its times are finer.';

function whyUnsettled({ events, why }: FetchedRange, before: number, after: number): string | undefined {
  if (why !== undefined) return why;
  if (before !== after)
    return `The source counted ${before} events before its rows were fetched, and ${after} afterwards.`;
  return events === before ? undefined : `The rows contain ${events} events, but the source counts ${before}.`;
}
