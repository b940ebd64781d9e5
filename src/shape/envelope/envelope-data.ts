import { granularityName, type Value } from '../../plan/column.ts';
import { granularities } from '../../ask/time/granularity.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Result } from '../result/result.ts';
import type { QueryType } from './envelope-query.ts';

export type WireValue = string | boolean | null;
export type WireRow = Readonly<Record<string, WireValue>>;

/** Rows in the requested response format. */
export type EnvelopeData =
  | readonly WireRow[]
  | { readonly members: readonly string[]; readonly dataset: readonly (readonly WireValue[])[] }
  | { readonly members: readonly string[]; readonly columns: readonly (readonly WireValue[])[] };

/** One member of a row on the wire. */
interface WireMember {
  readonly member: string;
  /** Index into the plan's columns; undefined for the range of the comparison, which is the same in each row. */
  readonly column: number | undefined;
}

interface WireColumn {
  readonly member: string;
  at(row: number): WireValue;
}

/** The values of a result in the wire format, by the plan's members. Source: recordings of Cube's answers. */
export function toEnvelopeData(result: Result<object>, plan: Plan, queryType?: QueryType): EnvelopeData {
  const columns = toWireColumns(result, plan, queryType);
  const members = columns.map((column) => column.member);
  const rows = Array.from({ length: result.rowCount }, (_, row) => row);
  if (plan.query.responseFormat === 'compact')
    return { members, dataset: rows.map((row) => columns.map((column) => column.at(row))) };
  if (plan.query.responseFormat === 'columnar')
    return { members, columns: columns.map((column) => rows.map((row) => column.at(row))) };
  return rows.map((row) => {
    const object: Record<string, WireValue> = {};
    for (const column of columns) object[column.member] = column.at(row);
    return object;
  });
}

/** How many rows, or values of a column, to write at once. */
const rowsAtOnce = 500;

/** Writes the same data as JSON text, piece by piece, exactly like `JSON.stringify`. */
export function* writeEnvelopeData(
  result: Result<object>,
  plan: Plan,
  queryType?: QueryType,
): Generator<string, void, undefined> {
  const columns = toWireColumns(result, plan, queryType);
  const { opening, closing, separator } = framesOf(
    plan,
    columns.map((column) => column.member),
  );
  yield opening;
  if (plan.query.responseFormat === 'columnar') {
    for (const [index, column] of columns.entries()) {
      yield index === 0 ? '[' : ',[';
      yield* inPieces(result.rowCount, (row) => JSON.stringify(column.at(row)));
      yield ']';
    }
  } else {
    const row = rowWriter(plan, columns);
    yield* inPieces(result.rowCount, row, separator);
  }
  yield closing;
}

function* inPieces(count: number, write: (row: number) => string, separator = ','): Generator<string, void, undefined> {
  for (let start = 0; start < count; start += rowsAtOnce) {
    let text = '';
    for (let row = start; row < Math.min(count, start + rowsAtOnce); row += 1)
      text += row === 0 ? write(row) : separator + write(row);
    yield text;
  }
}

function rowWriter(plan: Plan, columns: readonly WireColumn[]): (row: number) => string {
  const { keys, end } = rowFrame(
    plan,
    columns.map((column) => column.member),
  );
  return (row) => {
    let text = '';
    for (let index = 0; index < columns.length; index += 1)
      text += keys[index] + JSON.stringify((columns[index] as WireColumn).at(row));
    return text + end;
  };
}

/** The text before each value of a row, and after the last one. */
function rowFrame(plan: Plan, members: readonly string[]): { readonly keys: readonly string[]; readonly end: string } {
  const isList = plan.query.responseFormat === 'compact';
  const [open, end] = isList ? ['[', ']'] : ['{', '}'];
  return {
    keys: members.map((member, index) => (index === 0 ? open : ',') + (isList ? '' : `${JSON.stringify(member)}:`)),
    end,
  };
}

interface DataFrames {
  readonly opening: string;
  readonly separator: string;
  readonly closing: string;
}

function framesOf(plan: Plan, members: readonly string[]): DataFrames {
  const format = plan.query.responseFormat;
  if (format !== 'compact' && format !== 'columnar') return { opening: '[', separator: ',', closing: ']' };
  return {
    opening: `{"members":${JSON.stringify(members)},"${format === 'compact' ? 'dataset' : 'columns'}":[`,
    separator: ',',
    closing: ']}',
  };
}

/** How an engine writes a row itself: literal text, and indexes of the plan's columns. */
export interface RowLayout extends DataFrames {
  readonly row: readonly (string | number)[];
  /** An answer without rows. Cube takes the members from the first row, so an empty answer names none. */
  readonly empty: string;
}

/** The layout of consecutive rows; undefined for `columnar`, which has none. */
export function toRowLayout(plan: Plan, queryType?: QueryType): RowLayout | undefined {
  if (plan.query.responseFormat === 'columnar') return undefined;
  const wire = toWireMembers(plan, queryType);
  const members = wire.map(({ member }) => member);
  const { keys, end } = rowFrame(plan, members);
  const row = wire.flatMap(({ column }, index) => [
    keys[index] as string,
    column ?? JSON.stringify(plan.comparison ?? null),
  ]);
  const none = framesOf(plan, []);
  return { ...framesOf(plan, members), row: [...row, end], empty: none.opening + none.closing };
}

/** The plan's columns. Each bucket also appears under its bare member: the finest one if there are several. */
function toWireMembers(plan: Plan, queryType: QueryType | undefined): readonly WireMember[] {
  const taken = new Set(plan.columns.map((column) => column.key));
  const finest = new Map<string, number>();
  for (const { kind, member, granularity } of plan.columns) {
    if (kind !== 'time' || granularity === undefined) continue;
    const size = granularities.indexOf(granularity);
    finest.set(member, Math.min(size, finest.get(member) ?? size));
  }
  const members = plan.columns.flatMap((column, index): WireMember[] => {
    const one = { member: column.key, column: index };
    if (column.kind !== 'time' || column.granularity === undefined) return [one];
    const bare = !taken.has(column.member) && finest.get(column.member) === granularities.indexOf(column.granularity);
    const blended = queryType === 'blendingQuery' ? [{ ...one, member: `time.${granularityName(column)}` }] : [];
    return [one, ...(bare ? [{ ...one, member: column.member }] : []), ...blended];
  });
  const isCompared = queryType === 'compareDateRangeQuery' && plan.comparison !== undefined;
  return isCompared ? [...members, { member: 'compareDateRange', column: undefined }] : members;
}

function toWireColumns(result: Result<object>, plan: Plan, queryType: QueryType | undefined): readonly WireColumn[] {
  // Cube takes the members from the first row, so an empty answer names none.
  if (result.rowCount === 0) return [];
  return toWireMembers(plan, queryType).map(({ member, column: index }): WireColumn => {
    const column = index === undefined ? undefined : plan.columns[index];
    if (!column) return { member, at: () => plan.comparison ?? null };
    const values = result.values(column.key);
    const isBucket = column.kind === 'time';
    return { member, at: (row) => toWireValue(values[row] ?? null, isBucket) };
  });
}

/** Numbers become text, booleans stay, and labels of buckets lose their offset. */
function toWireValue(value: Value, isBucket: boolean): WireValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return String(value);
  return isBucket ? value.replace(/(?:Z|[+-]\d\d:\d\d(?::\d\d)?)$/, '') : value;
}
