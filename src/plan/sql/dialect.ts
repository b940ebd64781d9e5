import { invariant } from '../../ask/invariant.ts';
import type { BucketSize } from '../../ask/time/granularity.ts';
import type { TimeRange, Weekday } from '../../ask/time/range.ts';
import type { ListSource } from '../list-conditions.ts';
import type { AggregateMeasure, CubeSource, Dimension, DimensionType, Template, TimePart } from '../model/model.ts';
import { bound, type Expression, joined, name, type Parameter, sql, trusted } from './expression.ts';

/** How to cut a time into buckets. `range`: rows outside it are filtered out; undefined if rows may have any time. */
export interface BucketCut {
  readonly granularity: BucketSize;
  readonly zone: string;
  readonly weekStart: Weekday;
  readonly range: TimeRange | undefined;
}

/** The differences between SQL engines. Everything else is shared. */
export interface Dialect {
  readonly name: 'duckdb' | 'clickhouse';
  quoteName(name: string): string;
  /** `position` counts from 1. */
  placeholder(position: number, parameter: Parameter): string;
  /**
   * A time as an instant without zone, in UTC. `zone`: set if it comes from a model's table and may have any type. Then
   * a date is a day of this zone, and a text may end with an offset. `dimension`: the one that it is the value of.
   */
  toInstant(time: Expression, zone?: string, dimension?: Dimension): Expression;
  /**
   * The begin of a call that reads the text after it as an instant without zone; dates are days of `zone`. `local`: the
   * zones of times without one, of which a column has that of the row, or NULL. Only events of files have some.
   */
  openTimeOfText(zone: string, local?: { readonly zones: readonly string[]; readonly column: Expression }): Expression;
  /** The bucket of an instant: its local wall time for a day and longer, its instant for shorter buckets. */
  toBucket(instant: Expression, cut: BucketCut): Expression;
  /** The wall time in a zone. `range`: rows outside it are filtered out; undefined if rows may have any time. */
  toLocalTime(instant: Expression, zone: string, range?: TimeRange): Expression;
  /** A part of a wall time as a number. */
  partOf(local: Expression, part: TimePart): Expression;
  /** A day, moved forward by this many months and days. */
  addUnits(day: Expression, units: { readonly months: number; readonly days: number }): Expression;
  /** `type`: the type of the value; by default any that can be part of a key. */
  toText(value: Expression, type?: DimensionType): Expression;
  /** The text of a value whose type is unknown, with numbers as people write them. */
  textOfAny(value: Expression): Expression;
  /** Case-insensitive; `pattern` has its wildcards escaped with a backslash. */
  like(text: Expression, pattern: Expression): Expression;
  /** Whether a part of a text matches a regular expression. Ignores case; a dot is no line break. */
  matches(text: Expression, pattern: Expression): Expression;
  /** The aggregate of a measure over the rows that meet all conditions. `value` is undefined for counting rows. */
  aggregate(measure: AggregateMeasure, value: Expression | undefined, conditions: readonly Expression[]): Expression;
  /** The number of the source's rows that meet all conditions. */
  countRows(conditions: readonly Expression[]): Expression;
  /**
   * A condition that a value of any type is not NaN. undefined if the engine takes NaN for no size: no number is less,
   * and it comes last in any order.
   */
  readonly isSize: ((value: Expression) => Expression) | undefined;
  /** True if both are equal or both are null. */
  same(left: Expression, right: Expression): Expression;
  /** True if a LEFT JOIN may use only range conditions. */
  readonly joinsRanges: boolean;
  /** A literal; `instant` in epoch milliseconds. */
  timestamp(instant: number): Expression;
  /** A relation for FROM: the integers from `first` up to `end` (excluded), as `alias(column)`. */
  numbers(first: number, end: number, alias: string, column: string): Expression;
  /** The right side of IN for values of one type, possibly very many. */
  list(values: readonly Parameter[]): Expression;
  /** A SELECT of one column, with a row for each text. */
  texts(values: readonly string[], column: string): Expression;
  /** The least row by these values in order; `leastValue` extracts one of them. */
  leastRow(values: readonly Expression[]): Expression;
  leastValue(row: Expression, index: number): Expression;
  /** A relation for FROM. `columns`: the columns that the statement uses, which only derived sources need. */
  lowerSource(source: CubeSource, columns: ReadonlySet<string>, project: string | undefined): Expression;
  /**
   * A relation for FROM: each row of `source` once for each value of its list, which is in the field `value` of the
   * column `alias`; once with NULL if it has none.
   */
  eachOf(list: ListSource, source: Expression, alias: string): Expression;
  /** Whether a condition on `alias.value` holds for a value of a list, or for NULL if it has none. */
  someValue(list: ListSource, alias: string, condition: Expression): Expression;
}

/** A template over the columns of one relation. */
export function readFrom(relation: string, template: Template): Expression {
  return joined(
    template.map((part) => (part.kind === 'text' ? trusted(part.text) : name(relation))),
    '',
  );
}

/** The column of the relation of events that tells its rows apart. */
export const eventNumber = 'event_number';

/** One parameter for each value. */
export function listOf(values: readonly Parameter[]): Expression {
  return sql`(${joined(values.map(bound), ', ')})`;
}

/** The relation of a cube that defines its own source. Relations of events belong to each dialect. */
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
    case 'list':
    case 'view':
    case 'computed':
      invariant(false, `a ${source.kind} is no relation: it is bound, computed or lowered by the engine itself`);
  }
}
