import type { Filter, MemberFilter } from '../../src/ask/query/query.ts';
import { rangeOf, type OracleClock } from './oracle-clock.ts';
import { oracleMeasures, type Cell, type SourceRow } from './oracle-rows.ts';

/** True if a filter holds, given a test of its parts. An empty `or` filters nothing. */
function holds(filter: Filter, test: (filter: MemberFilter) => boolean): boolean {
  if ('and' in filter) return filter.and.every((part) => holds(part, test));
  if ('or' in filter) return filter.or.length === 0 || filter.or.some((part) => holds(part, test));
  return test(filter);
}

/** True if the filter is about measures and applies to groups. `measureFilter` applies to rows. */
export function isOnGroups(filter: Filter): boolean {
  if ('and' in filter) return filter.and.some(isOnGroups);
  if ('or' in filter) return filter.or.some(isOnGroups);
  return filter.member in oracleMeasures && filter.operator !== 'measureFilter';
}

export function keepsRow(filter: Filter, row: SourceRow, clock: OracleClock): boolean {
  return holds(filter, (test) => {
    if (test.operator === 'measureFilter') return oracleMeasures[test.member]?.counts?.(row) ?? true;
    const name = test.member.split('.')[1]!;
    const time = row.times[name];
    return time === undefined
      ? passes(name === 'weekday' ? numbered(test) : test, row.values[name] ?? null)
      : passesTime(test, time, clock);
  });
}

function numbered({ values = [], ...test }: MemberFilter): MemberFilter {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const toNumber = (value: (typeof values)[number]) => days.indexOf(String(value).toLowerCase()) + 1 || value;
  return { ...test, values: values.map(toNumber) };
}

export function keepsGroup(filter: Filter, rows: readonly SourceRow[]): boolean {
  return holds(filter, (test) => passes(test, oracleMeasures[test.member]!.of(rows)));
}

function passes({ operator, values = [] }: MemberFilter, cell: Cell): boolean {
  const written = values.filter((value) => value !== null).map(String);
  const withNull = written.length < values.length;
  switch (operator) {
    case 'set':
      return cell !== null;
    case 'notSet':
      return cell === null;
    case 'equals':
    case 'in':
      return cell === null ? withNull : written.some((text) => same(cell, text));
    case 'notEquals':
    case 'notIn':
      return cell === null ? !withNull : !written.some((text) => same(cell, text));
    case 'contains':
      return like(cell, written, withNull, (text, part) => text.includes(part));
    case 'startsWith':
      return like(cell, written, withNull, (text, part) => text.startsWith(part));
    case 'endsWith':
      return like(cell, written, withNull, (text, part) => text.endsWith(part));
    case 'notContains':
      return !like(cell, written, withNull, (text, part) => text.includes(part));
    case 'notStartsWith':
      return !like(cell, written, withNull, (text, part) => text.startsWith(part));
    case 'notEndsWith':
      return !like(cell, written, withNull, (text, part) => text.endsWith(part));
    case 'gt':
      return cell !== null && sizeOf(cell, written[0]!) > 0;
    case 'gte':
      return cell !== null && sizeOf(cell, written[0]!) >= 0;
    case 'lt':
      return cell !== null && sizeOf(cell, written[0]!) < 0;
    case 'lte':
      return cell !== null && sizeOf(cell, written[0]!) <= 0;
    default:
      throw new Error(`${operator} does not suit a value`);
  }
}

function same(cell: Exclude<Cell, null>, text: string): boolean {
  return typeof cell === 'number' ? cell === Number(text) : String(cell) === text;
}

function like(
  cell: Cell,
  written: readonly string[],
  withNull: boolean,
  test: (text: string, part: string) => boolean,
): boolean {
  if (cell === null) return withNull;
  return written.some((part) => test(String(cell).toLowerCase(), part.toLowerCase()));
}

function sizeOf(cell: Exclude<Cell, null>, text: string): number {
  if (typeof cell === 'number') return cell - Number(text);
  // By code point, which is the byte order of UTF-8.
  return Buffer.compare(Buffer.from(String(cell)), Buffer.from(text));
}

/** A day means the whole local day for every operator. */
function passesTime({ operator, values = [] }: MemberFilter, at: number, clock: OracleClock): boolean {
  const written = values.filter((value) => value !== null).map(String);
  const inside = (text: string | readonly string[]) => {
    const { start, end } = rangeOf(text, clock);
    return at >= start && at < end;
  };
  const range = () => rangeOf(written[0]!, clock);
  switch (operator) {
    case 'set':
      return true;
    case 'notSet':
      return false;
    case 'equals':
    case 'in':
    case 'onTheDate':
      return written.some(inside);
    case 'notEquals':
    case 'notIn':
      return !written.some(inside);
    case 'inDateRange':
      return inside(written.length === 1 ? written[0]! : written);
    case 'notInDateRange':
      return !inside(written.length === 1 ? written[0]! : written);
    case 'beforeDate':
    case 'lt':
      return at < range().start;
    case 'beforeOrOnDate':
    case 'lte':
      return at < range().end;
    case 'afterDate':
    case 'gt':
      return at >= range().end;
    case 'afterOrOnDate':
    case 'gte':
      return at >= range().start;
    default:
      throw new Error(`${operator} does not suit a time`);
  }
}
