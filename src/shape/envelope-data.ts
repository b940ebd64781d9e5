import { granularities } from '../ask/time/granularity.ts';
import type { Value } from '../plan/column.ts';
import type { Plan } from '../plan/plan.ts';
import type { QueryType } from './envelope-query.ts';
import type { Result } from './result.ts';
import type { Values } from './values.ts';

export type WireValue = string | boolean | null;
export type WireRow = Readonly<Record<string, WireValue>>;

/** Rows in the format that the query asked for. */
export type EnvelopeData =
  | readonly WireRow[]
  | { readonly members: readonly string[]; readonly dataset: readonly (readonly WireValue[])[] }
  | { readonly members: readonly string[]; readonly columns: readonly (readonly WireValue[])[] };

interface WireColumn {
  readonly member: string;
  at(row: number): WireValue;
}

/** The values of a result as the wire has them, under the plan's members. Source: recordings of Cube's answers. */
export function toEnvelopeData(result: Result<object>, plan: Plan, queryType?: QueryType): EnvelopeData {
  // Cube reads the members off the first row, so that an empty answer names none.
  const columns = result.rowCount === 0 ? [] : toWireColumns(result, plan, queryType);
  const members = columns.map((column) => column.member);
  const rows = Array.from({ length: result.rowCount }, (_, row) => row);
  if (plan.query.responseFormat === 'compact') return { members, dataset: rows.map((row) => columns.map((column) => column.at(row))) };
  if (plan.query.responseFormat === 'columnar') return { members, columns: columns.map((column) => rows.map((row) => column.at(row))) };
  return rows.map((row) => {
    const object: Record<string, WireValue> = {};
    for (const column of columns) object[column.member] = column.at(row);
    return object;
  });
}

/** The plan's columns, each bucket also under its bare member: the finest of them where there are several. */
function toWireColumns(result: Result<object>, plan: Plan, queryType: QueryType | undefined): readonly WireColumn[] {
  const taken = new Set(plan.columns.map((column) => column.key));
  const finest = new Map<string, number>();
  for (const { kind, member, granularity } of plan.columns) {
    if (kind !== 'time' || granularity === undefined) continue;
    const size = granularities.indexOf(granularity);
    finest.set(member, Math.min(size, finest.get(member) ?? size));
  }
  const columns = plan.columns.flatMap((column): WireColumn[] => {
    const values = result.values(column.key);
    const one = toWireColumn(column.key, values, column.kind === 'time');
    if (column.kind !== 'time' || column.granularity === undefined) return [one];
    const bare = !taken.has(column.member) && finest.get(column.member) === granularities.indexOf(column.granularity);
    const blended = queryType === 'blendingQuery' ? [{ ...one, member: `time.${column.granularity}` }] : [];
    return [one, ...(bare ? [{ ...one, member: column.member }] : []), ...blended];
  });
  if (queryType !== 'compareDateRangeQuery' || plan.comparison === undefined) return columns;
  const { comparison } = plan;
  return [...columns, { member: 'compareDateRange', at: () => comparison }];
}

function toWireColumn(member: string, values: Values, isBucket: boolean): WireColumn {
  return { member, at: (row) => toWireValue(values[row] ?? null, isBucket) };
}

/** Numbers as text, booleans as they are, and the label of a bucket without its offset. */
function toWireValue(value: Value, isBucket = false): WireValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return String(value);
  return isBucket ? value.replace(/(?:Z|[+-]\d\d:\d\d(?::\d\d)?)$/, '') : value;
}
