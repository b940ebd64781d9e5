import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportSource, FetchedRows } from './export-source.ts';
import { holdLines } from './hold-lines.ts';
import type { Spool } from './window.ts';

/** What came of a stretch, whatever it is worth. */
export interface FetchedRange extends FetchedRows {
  /** Why the rows cannot be right, where that is known. */
  readonly why?: string | undefined;
}

/**
 * Fetches a stretch that cannot be cut, page by page, under the query's order, which leaves no ties. The next page begins
 * behind what came, not behind what was asked for: a short page is not the last one. Rows are told apart, so that a page
 * that comes again is noticed before any of it is written. `expected` is how many events were counted.
 */
export async function pageRange(source: ExportSource, range: TimeRange, expected: number, spool: Pick<Spool, 'write'>, signal: AbortSignal | undefined): Promise<FetchedRange> {
  const { habits } = source;
  const seen = new Set<string>();
  let found: FetchedRows = { rows: 0, events: 0, repeated: 0 };
  let isSecondTry = false;
  while (found.events < expected) {
    const page = holdLines();
    const { marks = [], rows, events } = await source.fetchRows({ range, limit: habits.mostRows, offset: found.rows, marked: true }, page, signal);
    if (rows === 0) return found;
    const fresh = new Set(marks.filter((mark) => !seen.has(mark)));
    if (fresh.size < marks.length) {
      const isFirst = marks[0] === seen.values().next().value;
      if (isSecondTry && isFirst) habits.note({ code: 'offset-ignored', text: 'The source gives the same rows at every offset.' });
      if (isSecondTry) return { ...found, why: isFirst ? offsetIgnored : orderUnstable };
      isSecondTry = true;
      continue;
    }
    if (isSecondTry) habits.note({ code: 'page-repeated', text: 'The source gave a page once more in place of the next, and the next one when it was asked again.' });
    isSecondTry = false;
    for (const mark of fresh) seen.add(mark);
    await page.release(spool);
    found = { rows: found.rows + rows, events: found.events + events, repeated: 0 };
  }
  return found;
}

const offsetIgnored = 'One of its instants has more events than the source gives rows at once, and the source gives the same page at every offset.';
const orderUnstable = 'Asked for one of its instants page by page, the source gave rows that it had given before, and not all that there are: it does not keep to an order, or leaves rows out.';
