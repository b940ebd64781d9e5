import { invariant } from '../../ask/invariant.ts';
import type { BucketSize } from '../../ask/time/granularity.ts';
import type { TimeRange, Weekday } from '../../ask/time/range.ts';
import type { AggregateMeasure, CubeSource, DimensionType, TimePart } from '../model/model.ts';
import { bound, type Expression, joined, name, type Parameter, sql, trusted } from './expression.ts';

/**
 * How a bucket of time is cut. `range`: rows outside of it are filtered away; undefined where rows of any time may
 * come.
 */
export interface BucketCut {
  readonly granularity: BucketSize;
  readonly zone: string;
  readonly weekStart: Weekday;
  readonly range: TimeRange | undefined;
}

/** What sets one SQL engine apart from another. Everything else is common. */
export interface Dialect {
  readonly name: 'duckdb' | 'clickhouse';
  quoteName(name: string): string;
  /** `position` counts from 1. */
  placeholder(position: number, parameter: Parameter): string;
  /** A time of whatever type the model has, as an instant without zone, in UTC. */
  toInstant(time: Expression): Expression;
  /** The bucket that an instant lies in: for a day and longer its local wall time, for shorter ones its instant. */
  toBucket(instant: Expression, cut: BucketCut): Expression;
  /**
   * The wall time of a zone. `range`: rows outside of it are filtered away; undefined where rows of any time may come.
   */
  toLocalTime(instant: Expression, zone: string, range?: TimeRange): Expression;
  /** A number: what a clock or calendar shows at a wall time. */
  partOf(local: Expression, part: TimePart): Expression;
  /** A day so many months and days later. */
  addUnits(day: Expression, units: { readonly months: number; readonly days: number }): Expression;
  /** `type`: what the value is; by default any that takes part in a key. */
  toText(value: Expression, type?: DimensionType): Expression;
  /** Case-insensitive; `pattern` has its wildcards escaped with a backslash. */
  like(text: Expression, pattern: Expression): Expression;
  /** A measure's aggregate over the rows for which all conditions hold. `value` is undefined for counting rows. */
  aggregate(measure: AggregateMeasure, value: Expression | undefined, conditions: readonly Expression[]): Expression;
  /** How many of the source's rows meet all conditions. */
  countRows(conditions: readonly Expression[]): Expression;
  /** Equal, or both null. */
  same(left: Expression, right: Expression): Expression;
  /** Whether a LEFT JOIN may find rows by greater and less alone. */
  readonly joinsRanges: boolean;
  /** A literal; `instant` in epoch milliseconds. */
  timestamp(instant: number): Expression;
  /** For FROM: whole numbers from `first` up to, not including, `end`, as `alias(column)`. */
  numbers(first: number, end: number, alias: string, column: string): Expression;
  /** What stands behind IN for values of one type, of which there may be very many. */
  list(values: readonly Parameter[]): Expression;
  /** A SELECT of one column, with a row for each text. */
  texts(values: readonly string[], column: string): Expression;
  /** Of all rows the least by these values, one after the other; `leastValue` takes one out. */
  leastRow(values: readonly Expression[]): Expression;
  leastValue(row: Expression, index: number): Expression;
  /** A relation for FROM. `columns` names those that the statement uses; only derived sources mind. */
  lowerSource(source: CubeSource, columns: ReadonlySet<string>, project: string | undefined): Expression;
}

/** Each value a parameter of its own. */
export function listOf(values: readonly Parameter[]): Expression {
  return sql`(${joined(values.map(bound), ', ')})`;
}

/** The relation of a cube that says itself where its rows are. Those of events are each dialect's own. */
export function lowerTable(
  source: Exclude<CubeSource, { readonly kind: 'events' | 'sessions' | 'users' }>,
): Expression {
  switch (source.kind) {
    case 'table':
      return name(...(source.path ?? source.table.split('.')));
    case 'sql':
      return sql`(${joined(
        source.sql.map((part) => trusted(part.kind === 'text' ? part.text : '')),
        '',
      )})`;
    case 'view':
    case 'computed':
      invariant(false, `a ${source.kind} has rows only once its members are bound, or an analysis has computed them`);
  }
}
