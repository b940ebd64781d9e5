import { toMarks } from './result/marks.ts';
import { type AnyRow, noSuchColumn, type Result, toResult } from './result/result.ts';

/** The row of a selection: the values of the chosen columns under their new names. */
export type SelectedRow<Row extends object, Names extends Readonly<Record<string, string>>> = {
  readonly [Name in keyof Names]: Names[Name] extends keyof Row ? Row[Names[Name]] : AnyRow[string];
};

/**
 * Chooses columns and renames them: `select(result, {day: 'TrackedEvents.utcTime.day', views: 'TrackedEvents.count'})`.
 * The new names become the keys and titles, in the order of the names. Throws `InvalidInputError` (`no-such-column`)
 * with the nearest key if there is no such column.
 */
export function select<Row extends object, const Names extends Readonly<Record<string, string>>>(
  result: Result<Row>,
  names: Names,
): Result<SelectedRow<Row, Names>> {
  const flags = new Map<string, Uint8Array>();
  const chosen = Object.entries(names).map(([name, key]) => {
    const column = result.columns.find((candidate) => candidate.key === key);
    if (column === undefined) throw noSuchColumn(key, result.columns);
    const own = result.marks.flags(key);
    if (own) flags.set(name, own);
    const { label: _label, ...rest } = column;
    return {
      column: { ...rest, key: name, title: name, shortTitle: name },
      data: result.codes(key),
      type: result.types.get(key),
    };
  });
  return toResult({
    columns: chosen.map(({ column }) => column),
    data: chosen.map(({ data }) => data),
    marks: toMarks(flags),
    provenance: result.provenance,
    types: new Map(chosen.flatMap(({ column, type }) => (type === undefined ? [] : [[column.key, type] as const]))),
  });
}
