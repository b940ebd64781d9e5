import type { ColumnTable } from 'arquero';
import { invariant } from '../../ask/invariant.ts';
import { wrongArgument } from '../../ask/document/check-argument.ts';
import { describeValue } from '../../ask/document/describe-value.ts';
import { inputError, type InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Column, TypeClaim, Value } from '../../plan/column.ts';
import { type Codes, fromCodes, renumber, toCodes } from '../values/codes.ts';
import type { Values } from '../values/values.ts';
import { loadArquero } from './load-arquero.ts';
import { cloneable } from '../../ask/cloneable.ts';
import { type Marks, noMarks, toMarks } from './marks.ts';
import { type PlainResult, markNames, toPlainResult } from './plain-result.ts';
import type { Provenance } from './provenance.ts';
import { toTimeReader } from './read-times.ts';

export type { Values } from '../values/values.ts';

/** A key of a row's columns: any text if the columns are unknown. */
export type KeyOf<Row extends object> = [keyof Row] extends [never] ? string : keyof Row & string;

/** A row of a result without a model: values by column key. */
export type AnyRow = Readonly<Record<string, Value>>;

/**
 * The result of a query: columns of values, marks of single cells, and provenance. `structuredClone` and `postMessage`
 * copy its data without its functions; `reviveResult` restores them. A spread copy (`{...result}`) lacks them too.
 * Functions that take a key throw `InvalidInputError` (`no-such-column`) with the nearest key if the column does not
 * exist.
 */
export interface Result<Row extends object = AnyRow> {
  /** The columns, in the order of the query: dimensions, times, measures. */
  readonly columns: readonly (Column & {
    /** The key of the column in the rows. */
    readonly key: KeyOf<Row>;
  })[];
  /** Number of rows. */
  readonly rowCount: number;
  /** The values of a column by its key. The array is shared: do not modify it. */
  values(key: KeyOf<Row>): Values;
  /** The values of all columns by key, for copies without `values()`. Computed on first use. */
  readonly data: { readonly [Key in keyof Row & string]: Values };
  /** The values of a column as dictionary codes, from 0 in order of first appearance. Computed on first use. */
  codes(key: KeyOf<Row>): Codes;
  /** The rows as objects with the column keys as keys. Computed on first use. */
  rows(): readonly Row[];
  /** Which cells are filled or partial. */
  readonly marks: Marks<KeyOf<Row>>;
  /** The origin of the rows, and notes about omissions. */
  readonly provenance: Provenance;
  /** The types that the engine declares, by column key. The type of a missing column follows from its values. */
  readonly types: ReadonlyMap<string, TypeClaim>;
  /**
   * The result as an arquero table that shares the arrays: `result.toArquero<ColumnTable>()`. Pass arquero's own type
   * as the type parameter, because its declarations fail when TypeScript checks libraries.
   */
  toArquero<Table = unknown>(): Table;
  /** The result as plain data with marks and provenance, for `JSON.stringify`. */
  toJSON(): PlainResult;
}

interface ResultParts {
  readonly columns: readonly Column[];
  /** The values or dictionary codes of each column, all of the same length. */
  readonly data: readonly (Values | Codes)[];
  readonly marks?: Marks | undefined;
  readonly provenance: Provenance;
  readonly types?: ReadonlyMap<string, TypeClaim> | undefined;
}

const noTypes: ReadonlyMap<string, TypeClaim> = new Map();

/** Makes a result from columns without copying them. */
export function toResult<Row extends object = AnyRow>({
  columns,
  data: given,
  marks = noMarks,
  provenance,
  types = noTypes,
}: ResultParts): Result<Row> {
  const stored = given.map(toStored);
  const rowCount = stored[0]?.length ?? 0;
  invariant(given.length === columns.length, `${columns.length} columns have ${given.length} arrays of values`);
  invariant(
    stored.every(({ length }) => length === rowCount),
    'all columns have the same number of rows',
  );
  const byKey = new Map(columns.map((column, index) => [column.key, stored[index] as StoredColumn]));
  const columnAt = (key: string): StoredColumn => {
    const column = byKey.get(key);
    if (column === undefined) throw noSuchColumn(key, columns);
    return column;
  };
  let rows: readonly Row[] | undefined;
  let table: ColumnTable | undefined;
  let all: Readonly<Record<string, Values>> | undefined;
  const data = {
    columns,
    rowCount,
    marks,
    provenance,
    types,
    get data() {
      return (all ??= Object.fromEntries([...byKey].map(([key, column]) => [key, column.values()])));
    },
  };
  const result = cloneable(data, {
    values: (key: string) => columnAt(key).values(),
    codes: (key: string) => columnAt(key).codes(),
    rows: () =>
      (rows ??= toRows<Row>(
        columns,
        columns.map((column, index) => {
          const values = (stored[index] as StoredColumn).values();
          const read = toTimeReader(column, provenance.zone);
          return read ? Array.from<Value, unknown>(values, read) : values;
        }),
        rowCount,
      )),
    toArquero: <Table>() =>
      (table ??= new (loadArquero().ColumnTable)(data.data as Record<string, Values>, [...byKey.keys()])) as Table,
  });
  // Uses `this`, because a copy may have other marks or rows.
  return Object.defineProperty(result, 'toJSON', {
    get(this: Result<Row>) {
      return () => toPlainResult(this as never);
    },
    configurable: true,
  }) as object as Result<Row>;
}

/**
 * Restores the functions of a result that `structuredClone` or `postMessage` copied. Throws `InvalidInputError` for
 * anything else.
 *
 * ```ts
 * parentPort.on('message', async (copy) => console.log(await toTable(reviveResult(copy))));
 * ```
 */
export function reviveResult<Row extends object = AnyRow>(copy: Result<Row>): Result<Row> {
  if (!isCopy(copy))
    throw wrongArgument(
      'reviveResult',
      `Expected a copy of a result, not ${describeValue(copy)}.`,
      'Pass what `structuredClone(result)` made.',
    );
  const { columns, data, marks, provenance, types } = copy;
  const values = data as Readonly<Record<string, Values>>;
  return toResult<Row>({
    columns,
    data: columns.map(({ key }) => values[key] ?? []),
    marks: toMarks(marks.byKey),
    provenance,
    types,
  });
}

/** Requires a result, for the public function `called`. Throws `InvalidInputError`. */
export function checkResult(called: string, value: unknown): void {
  // Reading `data` would compute it.
  const object = Object(value) as Partial<Result<object>>;
  const isComplete = ['columns', 'rowCount', 'marks', 'provenance'].every((part) => part in object);
  if (isComplete && typeof object.values === 'function') return;
  if (isCopy(value))
    throw wrongArgument(called, 'Expected a result, not a copy of one.', 'Pass it through `reviveResult` first.');
  const hint = 'Pass the result of `await query(…)`.';
  throw wrongArgument(called, `Expected a result, not ${describeValue(value)}.`, hint);
}

/** Whether a value has all data that `structuredClone` copies from a result. */
function isCopy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { columns, data, marks, types } = value as Readonly<Record<string, unknown>>;
  return (
    Array.isArray(columns) &&
    typeof data === 'object' &&
    data !== null &&
    (marks as Partial<Marks> | undefined)?.byKey instanceof Map &&
    types instanceof Map
  );
}

/** The error for a key without a column. Its hint suggests the nearest key. */
export function noSuchColumn(key: unknown, columns: readonly Column[]): InvalidInputError {
  const keys = columns.map((column) => column.key);
  const message = `There is no column ${typeof key === 'string' ? quote(key) : describeValue(key)}.`;
  const near = typeof key === 'string' ? didYouMean(key, keys) : undefined;
  const hint = near ?? `Use one of ${keys.join(', ')}.`;
  return inputError('no-such-column', message, hint);
}

interface StoredColumn {
  readonly length: number;
  values(): Values;
  codes(): Codes;
}

/** A column is stored as values or codes; the other form is computed on first use. */
function toStored(data: Values | Codes): StoredColumn {
  const given = 'codes' in data ? data : undefined;
  let values = 'codes' in data ? undefined : data;
  let codes: Codes | undefined;
  return {
    length: given?.codes.length ?? values?.length ?? 0,
    values: () => (values ??= given ? fromCodes(given) : []),
    codes: () => (codes ??= given ? renumber(given) : toCodes(values ?? [])),
  };
}

function toRows<Row extends object>(
  columns: readonly Column[],
  data: readonly ArrayLike<unknown>[],
  rowCount: number,
): readonly Row[] {
  const rows: Record<string, unknown>[] = new Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    const object: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index += 1)
      object[(columns[index] as Column).key] = (data[index] as ArrayLike<unknown>)[row] ?? null;
    rows[row] = object;
  }
  return rows as Row[];
}

/** Restores a result from its `toJSON`. Numbers that became text for JSON stay text. */
export function fromPlainResult({ columns, rows, marks, provenance }: PlainResult): Result {
  const flags = Object.entries(marks).map(([key, marked]) => {
    const own = new Uint8Array(rows.length);
    for (const [name, flag] of markNames) for (const row of marked[name] ?? []) own[row] = (own[row] ?? 0) | flag;
    return [key, own] as const;
  });
  return toResult({
    columns,
    data: columns.map(({ key }) => rows.map((row) => row[key] ?? null)),
    marks: toMarks(new Map(flags)),
    provenance: { ...provenance, elapsedMs: 0 },
  });
}

/** Whether no row has a value in a column. */
export function isBlankColumn(result: Pick<Result, 'values'>, key: string): boolean {
  return Array.from(result.values(key)).every((value) => value === null);
}

/** Indexes of the columns of single rows, such as events, that have no value in any row; empty if no column has one. */
export function blankColumns(
  result: Pick<Result, 'values' | 'columns' | 'provenance' | 'rowCount'>,
): ReadonlySet<number> {
  const { columns, provenance, rowCount } = result;
  if (provenance.query.ungrouped !== true || rowCount === 0) return new Set();
  const blank = columns.flatMap(({ key }, index) => (isBlankColumn(result, key) ? [index] : []));
  return new Set(blank.length === columns.length ? [] : blank);
}
