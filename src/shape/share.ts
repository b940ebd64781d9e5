import type { Column, Value } from '../plan/column.ts';
import { loadArquero } from './result/load-arquero.ts';
import { toMarks } from './result/marks.ts';
import { withNote } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { toGroups } from './values/codes.ts';
import { sumValues } from './values/decimal.ts';
import type { Values } from './values/values.ts';

/** Selects the total for shares. */
export interface ShareOptions {
  /**
   * Keys of columns: shares add up to 100 within each combination of their values. Use the key of the time column for
   * shares within each bucket. Defaults to shares of the whole result.
   */
  readonly within?: readonly string[] | undefined;
}

/**
 * Adds a column after each additive measure with its share of the total in percent: `TrackedEvents.count.share`.
 * A share is null if the value or the total is null, or if the total is 0. Other measures get no column. A note says if
 * the total lacks rows beyond a limit.
 */
export function share(result: Result<object>, { within = [] }: ShareOptions = {}): Result {
  const measures = result.columns.filter((column) => column.kind === 'measure' && column.additive);
  if (measures.length === 0 || result.rowCount === 0) return result as Result;
  const { groups } = toGroups(
    within.map((key) => result.codes(key)),
    result.rowCount,
  );
  const totals = totalsByGroup(result, measures, groups);
  const flags = new Map<string, Uint8Array>();
  const columns: Column[] = [];
  const data: Values[] = [];
  for (const column of result.columns) {
    const values = result.values(column.key);
    const before = result.marks.flags(column.key);
    if (before) flags.set(column.key, before);
    columns.push(column);
    data.push(values);
    const sums = totals.get(column.key);
    if (!sums) continue;
    const added = toShareColumn(column);
    if (before) flags.set(added.key, before);
    columns.push(added);
    data.push(Array.from(groups, (group, row) => percentOf(values[row] ?? null, sums[group] ?? null)));
  }
  const { truncated } = result.provenance;
  const provenance = truncated
    ? withNote(result.provenance, `Shares are those of the rows up to the limit of ${truncated.limit}.`)
    : result.provenance;
  return toResult({ columns, data, marks: toMarks(flags), provenance, types: result.types });
}

/** The totals of each group, by measure. arquero numbers groups in order of appearance too. */
function totalsByGroup(
  result: Result<object>,
  measures: readonly Column[],
  groups: Int32Array,
): ReadonlyMap<string, readonly Value[]> {
  const { ColumnTable, op } = loadArquero();
  const names = measures.map((_, index) => `m${index}`);
  const table = new ColumnTable({
    group: groups,
    ...Object.fromEntries(measures.map(({ key }, index) => [names[index], result.values(key)])),
  });
  const gathered = table.groupby('group').rollup(Object.fromEntries(names.map((name) => [name, op.array_agg(name)])));
  return new Map(
    measures.map(({ key }, index) => [
      key,
      (gathered.array(names[index] as string) as Value[][]).map((values) => sumValues(values)),
    ]),
  );
}

function toShareColumn(column: Column): Column {
  return {
    ...column,
    key: `${column.key}.share`,
    title: `${column.title}, share`,
    shortTitle: `${column.shortTitle} %`,
    label: column.label === undefined ? undefined : `${column.label} %`,
    type: 'number',
    format: 'percent',
    additive: false,
    whenAbsent: null,
  };
}

/** 100 × part ÷ whole; null if one of them is missing or the whole is 0. */
export function percentOf(part: Value, whole: Value): number | null {
  if (part === null || whole === null) return null;
  const percent = (100 * Number(part)) / Number(whole);
  return Number.isFinite(percent) ? percent : null;
}
