import { checkNames, wrongArgument } from '../../ask/document/check-argument.ts';
import { describeValue } from '../../ask/document/describe-value.ts';
import type { RowValue } from '../../ask/query/model-types.ts';
import { quote } from '../../ask/text.ts';
import { withOther as addOther } from '../../shape/others.ts';
import { pivot as turn } from '../../shape/pivot.ts';
import { checkResult, noSuchColumn, type Result } from '../../shape/result/result.ts';
import { select as choose } from '../../shape/select.ts';
import { share as addShares } from '../../shape/share.ts';
import { totals as addUp } from '../../shape/totals.ts';

// All functions keep the types of rows. Error messages suggest the nearest column or option.

/** Column keys; any string if the rows are loosely typed. */
type KeyOf<Row extends object> = keyof Row & string;

/**
 * Selects columns in the given order, `select(result, ['Orders.city'])`, or under new keys,
 * `select(result, {city: 'Orders.city', orders: 'Orders.count'})`. A new key is also the heading of its column. Throws
 * `InvalidInputError` if the result or a column is not valid.
 *
 * ```ts
 * const result = await s.query(query().measures('TrackedEvents.count').by('TrackedEvents.docPath'));
 * const pages = select(result, { page: 'TrackedEvents.docPath', events: 'TrackedEvents.count' });
 * for (const { page, events } of pages.rows()) console.log(page, events);
 * ```
 */
export function select<Row extends object, const Key extends KeyOf<Row>>(
  result: Result<Row>,
  columns: readonly Key[],
): Result<{ readonly [Chosen in Key]: Row[Chosen] }>;
export function select<Row extends object, const Names extends Readonly<Record<string, KeyOf<Row>>>>(
  result: Result<Row>,
  columns: Names,
): Result<{ readonly [Name in keyof Names]: Row[Names[Name] & keyof Row] }>;
export function select(
  result: Result<object>,
  columns: readonly string[] | Readonly<Record<string, string>>,
): Result<object> {
  checkResult('select', result);
  if (typeof columns !== 'object' || columns === null)
    throw wrongArgument('select', `Expected columns, not ${describeValue(columns)}.`, "Pass `{city: 'Orders.city'}`.");
  const chosen = Array.isArray(columns)
    ? (columns as readonly string[]).map((key) => [key, key] as const)
    : Object.entries(columns as Readonly<Record<string, string>>).map(([name, key]) => [key, name] as const);
  for (const [key] of chosen) checkKey('select', result, key);
  if (chosen.length === 0) throw wrongArgument('select', 'Expected at least one column.', columnsHint(result));
  if (new Set(chosen.map(([, name]) => name)).size < chosen.length)
    throw wrongArgument('select', 'A column is named twice.', 'Name each column once.');
  return choose(result, chosen);
}

/** Options of `share`. */
export interface ShareOptions<Key extends string = string> {
  /**
   * Column keys. Shares add up to 100 within each combination of their values. Pass the key of the time column for
   * shares within each bucket. Defaults to shares of the whole result.
   */
  readonly within?: readonly Key[] | undefined;
}

/** A row with the shares of its additive measures, in percent. Other columns have no share. */
export type WithShares<Row extends object> = Row & {
  readonly [Key in KeyOf<Row> as `${Key}.share`]?: number | null;
};

/**
 * Adds a column after each additive measure with its share of the total in percent: `TrackedEvents.count.share`.
 * A share is null if the value or the total is null, or if the total is 0. Other measures get no column. A note
 * says if the total lacks rows beyond a limit. Throws `InvalidInputError` if the result, an option or a column is not
 * valid.
 */
export function share<Row extends object>(
  result: Result<Row>,
  options: ShareOptions<KeyOf<Row>> = {},
): Result<WithShares<Row>> {
  checkResult('share', result);
  checkNames('share', options, ['within']);
  const { within = [] } = options;
  checkKeys('share', result, 'within', within);
  return addShares(result, { within }) as Result<object> as Result<WithShares<Row>>;
}

/**
 * Returns one row with the exact sum of each additive measure. Distinct counts, averages, ratios and extremes do not
 * add up: their total is null, and a note names them. Query the engine without dimensions for their totals. A note
 * says if rows beyond a limit are missing. Throws `InvalidInputError` if the argument is not a result.
 */
export function totals<Row extends object>(
  result: Result<Row>,
): Result<{ readonly [Key in keyof Row]?: Row[Key] | null }> {
  checkResult('totals', result);
  return addUp(result) as Result<object> as Result<{ readonly [Key in keyof Row]?: Row[Key] | null }>;
}

/**
 * Keeps the first `count` rows and replaces the others with one row. In that row, additive measures are the exact sums
 * of the replaced rows, other measures are null with a note, the first text dimension is `label`, and every other
 * dimension is null. Returns a result with at most `count` rows unchanged. Throws `InvalidInputError` if an argument is
 * not valid.
 */
export function withOther<Row extends object>(
  result: Result<Row>,
  count: number,
  label = 'Other',
): Result<{ readonly [Key in keyof Row]: Row[Key] | null }> {
  checkResult('withOther', result);
  if (!Number.isInteger(count) || count < 0)
    throw wrongArgument(
      'withOther',
      'The number of rows must be a whole number of at least 0, ' +
        `not ${typeof count === 'number' ? count : describeValue(count)}.`,
    );
  if (typeof label !== 'string')
    throw wrongArgument('withOther', `The label must be text, not ${describeValue(label)}.`);
  return addOther(result as Result<object> as Result, count, label) as Result<{
    readonly [Key in keyof Row]: Row[Key] | null;
  }>;
}

/** Which columns a pivot keeps, which one it spreads, and which ones fill the cells. */
export interface PivotShape<Key extends string = string, Rows extends Key = Key, Values extends Key = Key> {
  /** Keys of the columns to keep: one row for each combination of their values, in order of first appearance. */
  readonly rows: readonly Rows[];
  /** Key of the column whose values become columns, in ascending order, null last. */
  readonly columns: Key;
  /** Keys of the measures to put in the cells. */
  readonly values: readonly Values[];
  /** Maximum number of new columns (default: 500). A note says how many values were left out. */
  readonly maxColumns?: number | undefined;
}

/** A row of a pivot: the kept columns, and a cell for each value: `Orders.count["Bonn"]`. */
export type PivotedRow<Row extends object, Rows extends keyof Row, Values extends keyof Row & string> = {
  readonly [Key in Rows]: Row[Key];
} & { readonly [Cell in `${Values}[${string}]`]: Extract<Row[Values], RowValue> | null };

/**
 * Turns the values of one column into columns: `day, type, count` becomes `day, count of click, count of pageview`.
 *
 * Keys are unique for each value: `TrackedEvents.count["click"]`, `…[null]`. A cell without a row is null, because it
 * is not known to be 0 unless `fill` added it. Several rows for one cell are summed if the measure is additive; else
 * the cell is null and a note says so. Throws `InvalidInputError` if the result, an option or a column is not valid.
 */
export function pivot<Row extends object, const Rows extends KeyOf<Row>, const Values extends KeyOf<Row>>(
  result: Result<Row>,
  shape: PivotShape<KeyOf<Row>, Rows, Values>,
): Result<PivotedRow<Row, Rows, Values>> {
  checkResult('pivot', result);
  checkNames('pivot', shape, ['rows', 'columns', 'values', 'maxColumns']);
  checkKeys('pivot', result, 'rows', shape.rows);
  checkKey('pivot', result, shape.columns);
  checkKeys('pivot', result, 'values', shape.values);
  const { maxColumns } = shape;
  if (maxColumns !== undefined && (!Number.isInteger(maxColumns) || maxColumns < 1))
    throw wrongArgument('pivot', `"maxColumns" must be a whole number from 1, not ${describeValue(maxColumns)}.`);
  return turn(result, shape) as Result<object> as Result<PivotedRow<Row, Rows, Values>>;
}

function checkKeys(called: string, result: Result<object>, option: string, keys: unknown): void {
  if (!Array.isArray(keys))
    throw wrongArgument(
      called,
      `${quote(option)} must be a list of columns, not ${describeValue(keys)}.`,
      columnsHint(result),
    );
  for (const key of keys) checkKey(called, result, key);
}

function checkKey(called: string, result: Result<object>, key: unknown): void {
  if (result.columns.some((column) => column.key === key)) return;
  if (typeof key !== 'string')
    throw wrongArgument(called, `A column must be text, not ${describeValue(key)}.`, columnsHint(result));
  const { message, hint } = noSuchColumn(key, result.columns);
  throw wrongArgument(called, message, hint);
}

function columnsHint({ columns }: Result<object>): string {
  return `Use one of ${columns.map(({ key }) => key).join(', ')}.`;
}
