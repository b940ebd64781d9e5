import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { invariant } from '../../../ask/invariant.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Value } from '../../../plan/column.ts';
import type { Batch, StoredView } from '../../backend.ts';
import { toNumberNeedle, toTimeNeedle } from '../../row-needle.ts';
import {
  type ColumnStatistics,
  histogramParts,
  quantileShares,
  type RowFilter,
  type RowView,
  topValues,
} from '../../stored-view.ts';
import { columnDecoder } from '../engine/decode-column.ts';
import type { Engine } from '../engine/engine.ts';
import { bindParameters } from '../engine/run-bound.ts';
import { interruptible, runToEnd } from '../engine/run-statement.ts';
import { quoteText } from '../engine/sql-text.ts';
import { toStoredError } from '../engine/stored-error.ts';
import { storedRowGroup, type StoredRows } from './store-statement.ts';
import type { StoredColumn } from './stored-column.ts';
import { comparable, measurable, searchable } from './stored-text.ts';

/** A condition in SQL, and the values for its `?` in order. */
interface StoredCondition {
  readonly text: string;
  readonly parameters: readonly string[];
}

const always: StoredCondition = { text: 'true', parameters: [] };
const never: StoredCondition = { text: 'false', parameters: [] };

/** The rows of a file that pass all filters; see `RowFilter`. The file's columns are `c0`, `c1` … */
function toStoredCondition(
  filters: readonly RowFilter[],
  columns: readonly StoredColumn[],
  zone: string,
): StoredCondition {
  const conditions = filters.map((filter) => toCondition(filter, columns, zone));
  if (conditions.length === 0) return always;
  return {
    text: conditions.map(({ text }) => `(${text})`).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

type TestFilter = Extract<RowFilter, { kind: 'test' }>;

function toCondition(filter: RowFilter, columns: readonly StoredColumn[], zone: string): StoredCondition {
  if (filter.kind === 'anywhere') return anywhere(filter.text, columns, zone);
  const stored = columns[filter.column];
  invariant(stored, `there is a column ${filter.column}`);
  const name = `c${filter.column}`;
  if (filter.kind !== 'test')
    return { text: `${comparable(stored, name)} IS ${filter.kind === 'missing' ? '' : 'NOT '}NULL`, parameters: [] };
  if (/^(?:!?~|\^=|\$=)$/.test(filter.operator)) return textTest(searchable(stored, zone, name), filter);
  if (isTime(stored)) return timeTest(searchable(stored, zone, name), filter);
  if (stored.column.type === 'number') return numberTest(stored, name, filter);
  return {
    text: orNull(filter, comparable(stored, name), `${textOf(stored, name)} ${signs[filter.operator]} ?`),
    parameters: [filter.text],
  };
}

const signs: Readonly<Record<string, string>> = { '=': '=', '!=': '<>', '>': '>', '>=': '>=', '<': '<', '<=': '<=' };

function isTime({ column, kind }: StoredColumn): boolean {
  return kind === 'instant' || (kind === 'date' && column.type === 'time');
}

function textOf(stored: StoredColumn, name: string): string {
  return stored.kind === 'text' ? stored.fromStored(name) : `CAST(${comparable(stored, name)} AS VARCHAR)`;
}

/** Null neither equals the value nor contains the text. */
function orNull({ operator }: TestFilter, value: string, test: string): string {
  return operator === '!=' || operator === '!~' ? `${value} IS NULL OR ${test}` : test;
}

function anywhere(text: string, columns: readonly StoredColumn[], zone: string): StoredCondition {
  const number = toNumberNeedle(text);
  const found = columns.flatMap((stored, index) => {
    const isNumber = stored.column.type === 'number';
    const needle = isNumber ? number : isTime(stored) ? toTimeNeedle(text).toLowerCase() : text.toLowerCase();
    return needle === undefined
      ? []
      : [{ text: `coalesce(contains(lower(${searchable(stored, zone, `c${index}`)}), ?), false)`, needle }];
  });
  return found.length === 0
    ? never
    : { text: found.map((one) => one.text).join(' OR '), parameters: found.map(({ needle }) => needle) };
}

function textTest(value: string, filter: TestFilter): StoredCondition {
  const { operator, text } = filter;
  const call = { '~': 'contains', '!~': 'NOT contains', '^=': 'starts_with', '$=': 'ends_with' }[operator as '~'];
  return { text: orNull(filter, value, `${call}(lower(${value}), lower(?))`), parameters: [text] };
}

/** A partial time matches everything that begins with it. */
function timeTest(value: string, filter: TestFilter): StoredCondition {
  const needle = toTimeNeedle(filter.text);
  const inside = `starts_with(${value}, ?)`;
  switch (filter.operator) {
    case '=':
      return { text: inside, parameters: [needle] };
    case '!=':
      return { text: orNull(filter, value, `NOT ${inside}`), parameters: [needle] };
    case '>':
      return { text: `${value} > ? AND NOT ${inside}`, parameters: [needle, needle] };
    case '<=':
      return { text: `${value} <= ? OR ${inside}`, parameters: [needle, needle] };
    default:
      return { text: `${value} ${signs[filter.operator]} ?`, parameters: [needle] };
  }
}

/** The form `-12.50`, without exponent; undefined if it is not a number. */
function toPlain(
  text: string,
): { readonly whole: bigint; readonly isWhole: boolean; readonly isNegative: boolean } | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text.trim());
  if (!match || (match[2] === '' && (match[3] ?? '') === '')) return undefined;
  return { whole: BigInt(match[2] || '0'), isWhole: !/[1-9]/.test(match[3] ?? ''), isNegative: match[1] === '-' };
}

/** Integers of any length are compared exactly, other numbers as doubles. */
function numberTest(stored: StoredColumn, name: string, filter: TestFilter): StoredCondition {
  const value = comparable(stored, name);
  const plain = stored.kind === 'integer' ? toPlain(filter.text) : undefined;
  if (plain) return { text: orNull(filter, value, integerTest(value, filter, plain)), parameters: [] };
  return {
    text: orNull(filter, value, `CAST(${value} AS DOUBLE) ${signs[filter.operator]} TRY_CAST(? AS DOUBLE)`),
    parameters: [filter.text],
  };
}

const hugest = 2n ** 126n;

function integerTest(
  value: string,
  { operator }: TestFilter,
  { whole, isWhole, isNegative }: NonNullable<ReturnType<typeof toPlain>>,
): string {
  const floor = isNegative ? -whole - (isWhole ? 0n : 1n) : whole;
  const known = `${value} IS NOT NULL`;
  if (floor > hugest || floor < -hugest)
    return operator === '!=' || (floor > 0n === operator.startsWith('<') && operator !== '=') ? known : 'false';
  const than = (sign: string) => `CAST(${value} AS HUGEINT) ${sign} ${floor}::HUGEINT`;
  if (isWhole) return than(signs[operator] ?? '=');
  if (operator === '=') return 'false';
  if (operator === '!=') return known;
  return than(operator.startsWith('>') ? '>' : '<=');
}

/**
 * A sorted or filtered view of a stored answer. The engine writes the row numbers to a file, so that any row can be
 * read without those before it. Closing the view removes the file.
 */
export async function openStoredView(
  engine: Engine,
  stored: StoredRows,
  zone: string,
  view: RowView,
  signal?: AbortSignal,
): Promise<StoredView> {
  const condition = toStoredCondition(view.filters, stored.columns, zone);
  const isWhole = view.sort.length === 0 && view.filters.length === 0;
  const places = isWhole ? undefined : join(engine.folder, `view-${engine.nextNumber()}.parquet`);
  const rowCount =
    places === undefined ? stored.rowCount : await writePlaces(engine, stored, view, condition, places, signal);
  return {
    rowCount,
    async read(start, count, columns, reading) {
      const end = Math.min(start + count, rowCount);
      return readBatch(
        engine,
        stored,
        zone,
        columns,
        start < end ? selectText(stored, columns, places, start, end) : undefined,
        reading,
      );
    },
    statistics: (column, reading) => storedStatistics(engine, stored, zone, column, condition, reading),
    async [Symbol.asyncDispose]() {
      if (places !== undefined) await rm(places, { force: true });
    },
  };
}

async function writePlaces(
  engine: Engine,
  { path, columns }: StoredRows,
  { sort }: RowView,
  condition: StoredCondition,
  places: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  throwIfAborted(signal);
  const order = sort.map(({ column, descending }) => {
    const stored = columns[column];
    invariant(stored, `there is a column ${column}`);
    return `${comparable(stored, `c${column}`)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  const text = `COPY (SELECT file_row_number AS place FROM read_parquet(${quoteText(path)}, file_row_number = true) WHERE ${condition.text}
    ORDER BY ${[...order, 'file_row_number'].join(', ')}) TO ${quoteText(places)} (FORMAT parquet, COMPRESSION lz4_raw,
    ROW_GROUP_SIZE ${storedRowGroup})`;
  try {
    return await engine.work((connection) =>
      interruptible(connection, signal, async () => {
        const prepared = await connection.prepare(text);
        try {
          bindParameters(prepared, condition.parameters);
          return Number((await (await prepared.run()).getRows())[0]?.[0]);
        } finally {
          prepared.destroySync();
        }
      }),
    );
  } catch (error) {
    await rm(places, { force: true });
    throw await toStoredError(error, signal);
  }
}

function selectText(
  { path, columns }: StoredRows,
  wanted: readonly number[],
  places: string | undefined,
  start: number,
  end: number,
): string {
  const selected = wanted.map((index) => {
    const column = columns[index];
    invariant(column, `there is a column ${index}`);
    return `${column.fromStored(`c${index}`)} AS c${index}`;
  });
  const source = `read_parquet(${quoteText(path)}, file_row_number = true)`;
  const between = `file_row_number >= ${start} AND file_row_number < ${end}`;
  if (places === undefined)
    return `SELECT ${selected.join(', ')} FROM ${source} WHERE ${between} ORDER BY file_row_number`;
  return `SELECT ${selected.join(', ')} FROM (SELECT place, file_row_number AS position
    FROM read_parquet(${quoteText(places)}, file_row_number = true) WHERE ${between}) AS chosen
    JOIN ${source} AS answer ON answer.file_row_number = chosen.place ORDER BY chosen.position`;
}

/** All rows as one batch. */
async function readBatch(
  engine: Engine,
  { columns }: StoredRows,
  zone: string,
  wanted: readonly number[],
  text: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Batch> {
  throwIfAborted(signal);
  if (text === undefined || wanted.length === 0) return { rowCount: 0, columns: wanted.map(() => []) };
  try {
    const result = await runToEnd(engine, { text, parameters: [] }, signal);
    const decoders = wanted.map((index, at) =>
      columnDecoder(result.columnType(at), (columns[index] as StoredRows['columns'][number]).column, zone),
    );
    const parts: Batch['columns'][number][][] = wanted.map(() => []);
    let rowCount = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) break;
      rowCount += chunk.rowCount;
      decoders.forEach((decode, at) => parts[at]?.push(decode(chunk, at)));
    }
    return { rowCount, columns: parts.map(joinParts) };
  } catch (error) {
    throw await toStoredError(error, signal);
  }
}

function joinParts(parts: readonly Batch['columns'][number][]): Batch['columns'][number] {
  const [only] = parts;
  return only && parts.length === 1 ? only : parts.flatMap((part) => [...part]);
}

/** Statistics of a column over the rows that meet the condition. The engine counts and returns a few rows. */
async function storedStatistics(
  engine: Engine,
  { path, columns }: StoredRows,
  zone: string,
  index: number,
  condition: StoredCondition,
  signal?: AbortSignal,
): Promise<ColumnStatistics> {
  const stored = columns[index];
  invariant(stored, `there is a column ${index}`);
  const value = comparable(stored, `c${index}`);
  const rows = `(SELECT ${value} AS v, ${measurable(stored, `c${index}`)} AS m FROM read_parquet(${quoteText(path)})
    WHERE ${condition.text})`;
  const ask = (text: string) => runToEnd(engine, { text, parameters: condition.parameters }, signal);
  const number = stored.column.type === 'number' ? 'CAST(m AS DOUBLE)' : undefined;
  // Times count as numbers here, whatever their format.
  const place =
    number ??
    (stored.kind === 'instant' || stored.kind === 'date'
      ? 'CAST(epoch_ms(CAST(m AS TIMESTAMP)) AS DOUBLE)'
      : undefined);
  try {
    return await engine.sparingly(async () => {
      const facts = await ask(
        `SELECT count(*), count(v), count(m), count(DISTINCT v), min(${place ?? '0'}), max(${place ?? '0'}),
          ${number ? `favg(${number})` : 'NULL'} FROM ${rows}`,
      );
      const [rowCount, count, measured, distinctCount, least, greatest, mean] = ((await facts.getRows())[0] ?? []).map(
        Number,
      );
      invariant(
        rowCount !== undefined && count !== undefined && measured !== undefined && distinctCount !== undefined,
        'a count gives a row',
      );
      const [ends] = await decoded(await ask(`SELECT min(m) AS a, max(m) AS b FROM ${rows}`), stored, zone, 2);
      const top = await decoded(
        await ask(
          `SELECT v, count(*) AS n FROM ${rows} WHERE v IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT ${topValues}`,
        ),
        stored,
        zone,
        1,
      );
      const known = {
        rowCount,
        nullCount: rowCount - count,
        distinctCount,
        least: ends?.[0] ?? null,
        greatest: ends?.[1] ?? null,
        top: top.map(([each = null, times]) => ({ value: each, count: Number(times) })),
      };
      if (measured === 0 || place === undefined) return known;
      const histogram = await parts(ask, rows, place, least ?? 0, greatest ?? 0);
      return number === undefined
        ? { ...known, histogram }
        : { ...known, mean, quantiles: await quantiles(ask, rows, measured), histogram };
    });
  } catch (error) {
    throw await toStoredError(error, signal);
  }
}

type Ask = (text: string) => Promise<DuckDBMaterializedResult>;

/** Decodes the first columns as the answer's values and leaves the others as they are. */
async function decoded(
  result: DuckDBMaterializedResult,
  { column }: StoredColumn,
  zone: string,
  count: number,
): Promise<readonly (readonly Value[])[]> {
  const names = result.columnCount;
  const decoders = Array.from({ length: count }, (_, at) => columnDecoder(result.columnType(at), column, zone));
  const rows: Value[][] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return rows;
    const read = Array.from(
      { length: names },
      (_, at) => decoders[at]?.(chunk, at) ?? (chunk.getColumnValues(at) as readonly Value[]),
    );
    for (let row = 0; row < chunk.rowCount; row += 1) rows.push(read.map((values) => values[row] ?? null));
  }
}

/** Quantiles by rank, so that each is a value of the column: the k-th of n, with k the share of n rounded up. */
async function quantiles(ask: Ask, rows: string, count: number): Promise<readonly number[]> {
  const ranks = quantileShares.map((share) => Math.max(1, Math.ceil(share * count)));
  const result = await ask(
    `SELECT CAST(m AS DOUBLE) FROM (SELECT m, row_number() OVER (ORDER BY m) AS rank FROM ${rows} WHERE m IS NOT NULL)
      WHERE rank IN (${ranks.join(', ')}) ORDER BY rank`,
  );
  const found = new Map([...new Set(ranks)].map((rank, at) => [rank, at]));
  const values = (await result.getRows()).map(([value]) => Number(value));
  return ranks.map((rank) => values[found.get(rank) ?? 0] ?? Number.NaN);
}

async function parts(
  ask: Ask,
  rows: string,
  place: string,
  least: number,
  greatest: number,
): Promise<readonly number[]> {
  const counts = new Array<number>(histogramParts).fill(0);
  const width = (greatest - least) / histogramParts;
  const part =
    width > 0 && Number.isFinite(width)
      ? `CAST(least(${histogramParts - 1}, floor((${place} - ${toSql(least)}) / ${toSql(width)})) AS INTEGER)`
      : '0';
  const result = await ask(`SELECT ${part} AS part, count(*) FROM ${rows} WHERE m IS NOT NULL GROUP BY part`);
  for (const [at, count] of await result.getRows()) counts[Number(at)] = Number(count);
  return counts;
}

function toSql(number: number): string {
  return `${number}::DOUBLE`;
}
