import type { Filter, FilterValue } from '../../ask/query/query.ts';
import type { WireRow } from '../envelope/envelope-data.ts';
import { day } from '../../ask/time/duration.ts';
import { writeLocal } from '../../ask/time/local-time.ts';

export interface WireFillQuery {
  readonly measures?: readonly string[] | undefined;
  readonly filters?: readonly Filter[] | undefined;
}

/**
 * The platform's own fill, to the letter: for each top-level `inDateRange` filter with two dates, the days between them
 * that no row of the whole answer has (whatever its other dimensions) are appended in ascending order, each measure '0',
 * other dimensions absent. Only where the first row has the member's day, so that an empty answer stays empty, and other
 * granularities and totals as they are. The limit counts for nothing.
 * Source: the platform's transformation of load answers, with its habits.
 */
export function fillOnWire(rows: readonly WireRow[], query: WireFillQuery): readonly WireRow[] {
  const measures = query.measures ?? [];
  const [first] = rows;
  if (measures.length === 0 || !first) return rows;
  let filled = rows;
  for (const filter of query.filters ?? []) {
    if (!('member' in filter) || filter.operator !== 'inDateRange') continue;
    const [start, end] = (filter.values ?? []).map(toDay);
    const { member } = filter;
    if (start === undefined || end === undefined || !Object.hasOwn(first, `${member}.day`)) continue;
    const present = new Set(rows.map((row) => row[member]));
    const zeros = Object.fromEntries(measures.map((measure) => [measure, '0']));
    const added: WireRow[] = [];
    for (let at = start; at <= end; at += day) {
      const date = writeLocal(at);
      if (!present.has(date)) added.push({ [`${member}.day`]: date, [member]: date, ...zeros });
    }
    filled = [...filled, ...added];
  }
  return filled;
}

/** Whether the rows of an answer to this query may get days at their end. */
export function fillsOnWire({ filters = [] }: WireFillQuery): boolean {
  return filters.some((filter) => 'member' in filter && filter.operator === 'inDateRange');
}

/** The date of a written time, its clock cut off; undefined where it is not written as a date. */
function toDay(value: FilterValue): number | undefined {
  const date = /^\s*(\d{4}-\d\d-\d\d)/.exec(String(value))?.[1];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}
