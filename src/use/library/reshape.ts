import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { withOther as makeOther } from '../../shape/other.ts';
import { pivot as makePivot, type PivotShape } from '../../shape/pivot.ts';
import { noSuchColumn, type Result } from '../../shape/result/result.ts';
import { type SelectedRow, select as makeSelection } from '../../shape/select.ts';
import { share as makeShares, type SharedRow, type ShareOptions } from '../../shape/share.ts';
import { totals as makeTotals } from '../../shape/totals.ts';

// Results made of results, at once. Every function throws `InvalidInputError` for what is no result, no option, or the
// key of no column. They are checked by hand: the schemas of the other functions take longer to load than this takes.

/**
 * Turns the values of one column into columns: `day, type, count` becomes `day, count of click, count of pageview`. The
 * new keys are unique for each value: `TrackedEvents.count["click"]`, `…[null]`. A cell without a row is null, because
 * it is not known to be 0 unless zero-fill added it. Several rows for one cell are summed if the measure is additive;
 * else the cell is null and a note says so.
 *
 * ```ts
 * const days = await s.query('count by eventType, day last 7 days');
 * const table = pivot(days, {
 *   rows: ['TrackedEvents.utcTime.day'],
 *   columns: 'TrackedEvents.eventType',
 *   values: ['TrackedEvents.count'],
 * });
 * ```
 */
export function pivot(result: Result<object>, shape: PivotShape): Result {
  checkResult('pivot', result);
  checkNames('pivot', shape, ['rows', 'columns', 'values', 'maxColumns']);
  const { rows, columns, values, maxColumns } = shape;
  checkKeys('pivot', result, 'rows', rows);
  checkKeys('pivot', result, 'columns', [columns]);
  checkKeys('pivot', result, 'values', values);
  if (maxColumns !== undefined && !(Number.isInteger(maxColumns) && maxColumns > 0))
    throw wrong('pivot', '"maxColumns" must be a whole number above 0.');
  return makePivot(result, shape);
}

/**
 * Adds a column after each additive measure with its share of the total in percent: `TrackedEvents.count.share`. A share
 * is null if the value or the total is null, or if the total is 0. Other measures get no column: shares of distinct
 * counts and averages do not add up.
 *
 * ```ts
 * const pages = share(await s.query('pageViewsCount by docPath last 30 days'));
 * ```
 */
export function share<Row extends object>(result: Result<Row>, options: ShareOptions = {}): Result<SharedRow<Row>> {
  checkResult('share', result);
  checkNames('share', options, ['within']);
  if (options.within !== undefined) checkKeys('share', result, 'within', options.within);
  return makeShares(result, options);
}

/**
 * One row with the exact sum of each additive measure. Distinct counts, averages, ratios and extremes do not add up:
 * their total is null, and a note names them. Ask without dimensions for their totals.
 */
export function totals<Row extends object>(result: Result<Row>): Result<Partial<Row>> {
  checkResult('totals', result);
  return makeTotals(result);
}

/**
 * Keeps the first `count` rows, and adds one row for all others. Additive measures of this row are the exact sums of the
 * replaced rows, other measures are null with a note, the first text dimension is `label`, and every other dimension is
 * null. A result with at most `count` rows stays as it is. Ask `… top 5 with other` for figures that do not add up.
 */
export function withOther<Row extends object>(result: Result<Row>, count: number, label = 'Other'): Result<Row> {
  checkResult('withOther', result);
  if (!(Number.isInteger(count) && count >= 0)) throw wrong('withOther', 'The number of rows must be a whole number.');
  if (typeof label !== 'string') throw wrong('withOther', 'The label must be text.');
  return makeOther(result, count, label);
}

/**
 * Chooses columns and gives them names of your own, which become their keys and titles, in this order. Rows stay typed.
 *
 * ```ts
 * const result = await s.query('pageViewsCount by docPath last 30 days');
 * const pages = select(result, { page: 'TrackedEvents.docPath', views: 'TrackedEvents.pageViewsCount' });
 * for (const { page, views } of pages.rows()) console.log(page, views);
 * ```
 */
export function select<Row extends object, const Names extends Readonly<Record<string, string>>>(
  result: Result<Row>,
  names: Names,
): Result<SelectedRow<Row, Names>> {
  checkResult('select', result);
  if (typeof names !== 'object' || names === null || Array.isArray(names) || Object.keys(names).length === 0)
    throw wrong('select', "Expected names for columns, such as `{views: 'TrackedEvents.count'}`.");
  return makeSelection(result, names);
}

function wrong(name: string, message: string, hint?: string): InvalidInputError {
  return new InvalidInputError(`${name}(): ${message}`, [errorIssue('wrong-argument', message, { hint })], { hint });
}

function checkResult(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'rowCount' in value && 'columns' in value && 'marks' in value)
    return;
  throw wrong(name, 'Expected a result.', 'Pass the result of `await query(…)`.');
}

function checkNames(name: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw wrong(name, `Expected options: ${known.map(quote).join(', ')}.`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw wrong(
      name,
      `There is no option ${quote(unknown)}.`,
      didYouMean(unknown, known) ?? `The options are ${known.map(quote).join(', ')}.`,
    );
}

function checkKeys(name: string, result: Result<object>, option: string, keys: unknown): void {
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string'))
    throw wrong(
      name,
      `${quote(option)} must be ${option === 'columns' ? 'the key of a column' : 'a list of keys of columns'}.`,
    );
  const missing = keys.find((key) => !result.columns.some((column) => column.key === key));
  if (missing !== undefined) throw noSuchColumn(missing, result.columns);
}
