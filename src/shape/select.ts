import type { Column } from '../plan/column.ts';
import { columnOrder } from '../plan/column-order.ts';
import { toMarks } from './result/marks.ts';
import { type Result, toResult } from './result/result.ts';

/**
 * Selects columns in the given order, under new keys: `[key, name]`. A column with a new key gets the same title.
 * Values, marks and types stay.
 */
export function select(result: Result<object>, chosen: readonly (readonly [key: string, name: string])[]): Result {
  const picked = chosen.flatMap(([key, name]) => {
    const column = result.columns.find((candidate) => candidate.key === key);
    return column ? [{ column, name }] : [];
  });
  const flags = picked.flatMap(({ column, name }) => {
    const own = result.marks.flags(column.key);
    return own ? [[name, own] as const] : [];
  });
  const types = picked.flatMap(({ column, name }) => {
    const own = result.types.get(column.key);
    return own ? [[name, own] as const] : [];
  });
  return toResult({
    columns: picked.map(({ column, name }) => calledAs(column, name)),
    data: picked.map(({ column }) => result.values(column.key)),
    marks: toMarks(new Map(flags)),
    provenance: result.provenance,
    types: new Map(types),
  });
}

/** Moves the requested groups to the front, in that order; see `Query.columns`. */
export function arrange(result: Result<object>, asked: readonly string[] | undefined): Result {
  const order = columnOrder(result.columns, asked);
  const keys = order?.map((index) => result.columns[index]!.key);
  return keys
    ? select(
        result,
        keys.map((key) => [key, key]),
      )
    : (result as Result);
}

function calledAs(column: Column, name: string): Column {
  return name === column.key ? column : { ...column, key: name, title: name, shortTitle: name, label: undefined };
}
