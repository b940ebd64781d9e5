import { SluiceError } from '../../ask/sluice-error.ts';
import { hour, minute, second } from '../../ask/time/granularity.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportSource, FetchedRows, Habits } from './rows/export-source.ts';
import type { Spool } from './rows/window.ts';

/** Limits to try if a server refuses the requested one. */
const lowerLimits = [10_000, 5_000, 1_000, 100] as const;

/**
 * Fetches the rows of a range into the spool, which it restarts, with as many requests as necessary. `expected`: number
 * of events counted in the range.
 */
export async function fetchRange(
  source: ExportSource,
  range: TimeRange,
  expected: number,
  spool: Spool,
  signal: AbortSignal | undefined,
): Promise<FetchedRange> {
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
  /** The most rows that the source seems to return at once. */
  readonly most: number;
}

async function fetchInParts(
  source: ExportSource,
  range: TimeRange,
  { expected, most }: Part,
  spool: Pick<Spool, 'write'>,
  signal: AbortSignal | undefined,
): Promise<FetchedRange> {
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
  const counts = halves && ([await source.count(halves[0], signal), await source.count(halves[1], signal)] as const);
  // If the halves do not add up, events may lie between them.
  if (!halves || counts![0] + counts![1] !== expected) return pageRange(source, range, expected, spool, signal);
  let found: FetchedRange = { rows: 0, events: 0, repeated: 0 };
  for (const [index, half] of halves.entries()) {
    const more = await fetchInParts(source, half, { expected: counts![index]!, most: smaller }, spool, signal);
    found = {
      rows: found.rows + more.rows,
      events: found.events + more.events,
      repeated: found.repeated + more.repeated,
      why: more.why,
    };
    if (found.why !== undefined) return found;
  }
  return found;
}

/**
 * One request at offset 0 into a restarted spool. Returns a number if rows are missing and the source seems to return
 * at most that many at once.
 */
async function fetchAtOnce(
  source: ExportSource,
  range: TimeRange,
  expected: number,
  spool: Spool,
  signal: AbortSignal | undefined,
): Promise<FetchedRows | number> {
  const { habits } = source;
  const limit = habits.mostRows;
  const ask = () => source.fetchRows({ range, limit, offset: 0 }, spool, signal);
  try {
    const found = await ask();
    if (found.events >= expected || found.rows === 0) return found;
    const counted = await source.count(range, signal);
    if (found.events >= counted) return found;
    // The answer is short: once by chance, or always.
    const again = await ask();
    if (again.events >= counted) {
      habits.note({
        code: 'answer-short',
        text: 'The source left out rows in one response and returned them on retry.',
      });
      return again;
    }
    const most = Math.max(found.rows, again.rows);
    // The limit may have been lowered since all rows were requested at once.
    if (most >= limit) return limit < expected ? limit : again;
    suspect(habits, most, limit);
    return most;
  } catch (error) {
    const next = lowerLimits.find((each) => each < limit);
    if (!(error instanceof SluiceError) || error.code !== 'limit-too-high' || next === undefined) throw error;
    habits.note({
      code: 'rows-capped',
      text: `The source refuses to return ${limit} rows at once. Windows are fetched in smaller parts.`,
    });
    habits.mostRows = Math.min(habits.mostRows, next);
    return expected <= next ? fetchAtOnce(source, range, expected, spool, signal) : next;
  }
}

/** The same number of rows twice is not chance. */
function suspect(habits: Habits, most: number, limit: number): void {
  if (habits.suspected === most) habits.mostRows = Math.min(habits.mostRows, most);
  habits.suspected = most;
  habits.note({
    code: 'rows-capped',
    text: `The source returns ${most} rows at once instead of ${limit}. Windows are fetched in smaller parts.`,
  });
}

/**
 * Splits a range at the middle whole hour (UTC) inside it; if there is none, at a whole minute, then second, then
 * millisecond. The split depends only on the range, not on counts. Parts of two splits of the same range are therefore
 * equal, nested or disjoint. undefined for a single millisecond.
 */
export function halveRange({ start, end }: TimeRange): readonly [TimeRange, TimeRange] | undefined {
  for (const size of [hour, minute, second, 1]) {
    const first = (Math.floor(start / size) + 1) * size;
    const last = (Math.ceil(end / size) - 1) * size;
    if (first > last) continue;
    const middle = first + Math.floor(((last - first) / size + 1) / 2) * size;
    return [
      { start, end: middle },
      { start: middle, end },
    ];
  }
  return undefined;
}

/** The same, but undefined for a range within one bucket of the size. */
export function halveAbove({ start, end }: TimeRange, size: number): readonly [TimeRange, TimeRange] | undefined {
  return Math.floor(start / size) === Math.floor((end - 1) / size) ? undefined : halveRange({ start, end });
}

/** The result of fetching a range, complete or not. */
export interface FetchedRange extends FetchedRows {
  /** The reason why the rows cannot be right, if known. */
  readonly why?: string | undefined;
}

/**
 * Fetches a range that cannot be split, page by page, in the query's order, which has no ties. The next page begins
 * after the rows received instead of the rows requested, because a short page need not be the last. Detects repeated
 * rows before any row of a page is written. `expected`: number of events counted.
 */
async function pageRange(
  source: ExportSource,
  range: TimeRange,
  expected: number,
  spool: Pick<Spool, 'write'>,
  signal: AbortSignal | undefined,
): Promise<FetchedRange> {
  const { habits } = source;
  const seen = new Set<string>();
  let found: FetchedRows = { rows: 0, events: 0, repeated: 0 };
  let isSecondTry = false;
  while (found.events < expected) {
    const page = holdLines();
    const {
      marks = [],
      rows,
      events,
    } = await source.fetchRows({ range, limit: habits.mostRows, offset: found.rows, marked: true }, page, signal);
    if (rows === 0) return found;
    const fresh = new Set(marks.filter((mark) => !seen.has(mark)));
    if (fresh.size < marks.length) {
      if (!isSecondTry) {
        isSecondTry = true;
        continue;
      }
      const first = seen.values();
      if (!marks.every((mark) => mark === first.next().value)) return { ...found, why: orderUnstable };
      habits.note({ code: 'offset-ignored', text: 'The source returns the same rows at every offset.' });
      return { ...found, why: offsetIgnored };
    }
    if (isSecondTry)
      habits.note({
        code: 'page-repeated',
        text: 'The source returned a page twice, and the next page on retry.',
      });
    isSecondTry = false;
    for (const mark of fresh) seen.add(mark);
    await page.release(spool);
    found = { rows: found.rows + rows, events: found.events + events, repeated: 0 };
  }
  return found;
}

const offsetIgnored =
  'A single instant has more events than the source returns at once, ' +
  'and the source returns the same page at every offset.';
const orderUnstable =
  'When a single instant was fetched in pages, the source repeated some rows and left out others. ' +
  'Its order is not stable, or it drops rows.';

/**
 * Events between a range that ends at an edge and the one that begins there. Requests name a range's last millisecond,
 * and a source with finer instants may take only the first instant of that millisecond. The buckets that the source
 * counts have no such gaps.
 */
export async function countFallen(
  source: ExportSource,
  { end: edge }: Pick<TimeRange, 'end'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const start = Math.floor((edge - 1) / second) * second;
  const end = start + second;
  const counted = (await source.countBy({ start, end: end + second }, 'second', signal)).get(start) ?? 0;
  if (counted === 0) return 0;
  const first = await source.count({ start, end: edge }, signal);
  const last = edge < end ? await source.count({ start: edge, end }, signal) : 0;
  return Math.max(0, counted - first - last);
}

/** Lines kept in memory until they are known to be valid. */
interface HeldLines extends Spool {
  /** Writes the lines to the spool and discards them here. */
  release(spool: Pick<Spool, 'write'>): Promise<void>;
}

function holdLines(): HeldLines {
  let held: Buffer[] = [];
  return {
    async restart() {
      held = [];
    },
    async write(bytes) {
      held.push(Buffer.from(bytes));
    },
    async release(spool) {
      for (const bytes of held.splice(0)) await spool.write(bytes);
    },
  };
}
