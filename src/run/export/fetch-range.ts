import { SluiceError } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportSource, FetchedRows, Habits } from './export-source.ts';
import { halveRange } from './halve-range.ts';
import { holdLines } from './hold-lines.ts';
import { pageRange, type FetchedRange } from './page-range.ts';
import type { Spool } from './window.ts';

/** Limits to try where a server refuses the one that it was asked for. */
const lowerLimits = [10_000, 5_000, 1_000, 100] as const;

/** Fetches the rows of a stretch into the spool, which it restarts, by as many requests as it takes. `expected` is how many events were counted in it. */
export async function fetchRange(source: ExportSource, range: TimeRange, expected: number, spool: Spool, signal: AbortSignal | undefined): Promise<FetchedRange> {
  let most = source.habits.mostRows;
  if (expected <= most) {
    const found = await fetchAtOnce(source, range, expected, spool, signal);
    if (typeof found !== 'number') return found;
    most = found;
  }
  await spool.restart();
  return fetchInParts(source, range, { expected, most }, spool, signal);
}

interface Part {
  readonly expected: number;
  /** The most rows that the source seems to give at once. */
  readonly most: number;
}

async function fetchInParts(source: ExportSource, range: TimeRange, { expected, most }: Part, spool: Pick<Spool, 'write'>, signal: AbortSignal | undefined): Promise<FetchedRange> {
  let smaller = Math.min(most, source.habits.mostRows);
  if (expected <= smaller) {
    const held = holdLines();
    const found = await fetchAtOnce(source, range, expected, held, signal);
    if (typeof found !== 'number') {
      await held.release(spool);
      return found;
    }
    smaller = found;
  }
  const halves = halveRange(range);
  const counts = halves && [await source.count(halves[0], signal), await source.count(halves[1], signal)] as const;
  // Where halves do not add up, events may fall between them.
  if (!halves || counts![0] + counts![1] !== expected) return pageRange(source, range, expected, spool, signal);
  let found: FetchedRange = { rows: 0, events: 0, repeated: 0 };
  for (const [index, half] of halves.entries()) {
    const more = await fetchInParts(source, half, { expected: counts![index]!, most: smaller }, spool, signal);
    found = { rows: found.rows + more.rows, events: found.events + more.events, repeated: found.repeated + more.repeated, why: more.why };
    if (found.why !== undefined) return found;
  }
  return found;
}

/** One request at offset 0, into a spool of its own. A number: the source seems to give no more rows at once, and some are lacking. */
async function fetchAtOnce(source: ExportSource, range: TimeRange, expected: number, spool: Spool, signal: AbortSignal | undefined): Promise<FetchedRows | number> {
  const { habits } = source;
  const limit = habits.mostRows;
  const ask = () => source.fetchRows({ range, limit, offset: 0 }, spool, signal);
  try {
    const found = await ask();
    if (found.events >= expected || found.rows === 0) return found;
    const counted = await source.count(range, signal);
    if (found.events >= counted) return found;
    // The answer is short: by chance, or as it always is.
    const again = await ask();
    if (again.events >= counted) {
      habits.note({ code: 'answer-short', text: 'The source left rows out of an answer, and gave them when it was asked once more.' });
      return again;
    }
    const most = Math.max(found.rows, again.rows);
    // Fewer may be asked for by now than when it was decided to ask for all at once.
    if (most >= limit) return limit < expected ? limit : again;
    suspect(habits, most, limit);
    return most;
  } catch (error) {
    const next = lowerLimits.find((each) => each < limit);
    if (!(error instanceof SluiceError) || error.code !== 'limit-too-high' || next === undefined) throw error;
    habits.note({ code: 'rows-capped', text: `The source refuses to give ${limit} rows at once: windows are fetched in smaller parts.` });
    habits.mostRows = Math.min(habits.mostRows, next);
    return expected <= next ? fetchAtOnce(source, range, expected, spool, signal) : next;
  }
}

/** Twice the same number of rows is no chance. */
function suspect(habits: Habits, most: number, limit: number): void {
  if (habits.suspected === most) habits.mostRows = Math.min(habits.mostRows, most);
  habits.suspected = most;
  habits.note({ code: 'rows-capped', text: `The source gives ${most} rows at once where it is asked for ${limit}: windows are fetched in smaller parts.` });
}
