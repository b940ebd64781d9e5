import type { DuckDBDataChunk, DuckDBType, DuckDBValue, DuckDBVector } from '@duckdb/node-api';
import { day } from '../../../ask/time/granularity.ts';
import type { Column, Value, TypeClaim } from '../../../plan/column.ts';
import {
  decodeInteger,
  decodeDecimal,
  decodeNumericText,
  floorDivide,
  timeWriter,
  toTime,
} from '../../decode-value.ts';

/** Turns one column of a chunk into values. Create one per column, because it caches labels. */
export type ColumnDecoder = (chunk: DuckDBDataChunk, index: number) => readonly Value[] | Float64Array;

/**
 * How values of a DuckDB type read in a column (see `Value`): integers beyond 2^53 as bigint, decimals that a number
 * cannot represent as text, NaN and infinities as JavaScript numbers, and types without a JavaScript form as text.
 */
export function columnDecoder(type: DuckDBType, column: Column, zone: string): ColumnDecoder {
  const kind = kindOf(type);
  if (column.type !== 'string' && (kind === 'integer' || kind === 'double')) return decodeNumbers;
  return valuesBy(valueDecoder(kind, column, zone));
}

/** The facts that decide how values of a DuckDB type read. */
export type Kind = 'integer' | 'double' | 'decimal' | 'boolean' | 'text' | 'instant' | 'date' | 'other';

export const integerType = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/;

export function kindOf(type: DuckDBType): Kind {
  const name = type.toString();
  if (integerType.test(name)) return 'integer';
  if (name === 'DOUBLE' || name === 'FLOAT') return 'double';
  if (name.startsWith('DECIMAL')) return 'decimal';
  if (name === 'BOOLEAN') return 'boolean';
  if (name === 'VARCHAR') return 'text';
  if (name.startsWith('TIMESTAMP')) return 'instant';
  return name === 'DATE' ? 'date' : 'other';
}

type ValueDecoder = (value: NonNullable<DuckDBValue>) => Value;

function valueDecoder(kind: Kind, column: Column, zone: string): ValueDecoder {
  const written =
    column.type === 'string' ? (value: Value) => (value === null ? null : String(value)) : (value: Value) => value;
  switch (kind) {
    case 'integer':
      return (value) => written(typeof value === 'bigint' ? decodeInteger(value) : (value as number));
    case 'double':
      return (value) => written(value as number);
    case 'decimal':
      return (value) => {
        const decimal = value as { readonly value: bigint; readonly scale: number };
        return written(decodeDecimal(decimal.value, decimal.scale));
      };
    case 'boolean':
      return (value) => written(value as boolean);
    case 'text':
      return column.type === 'number' ? (value) => decodeNumericText(value as string) : (value) => value as string;
    case 'instant':
      return timeDecoder(column, zone);
    case 'date':
      return column.type === 'time' ? timeDecoder(column, zone) : (value) => String(value);
    case 'other':
      return (value) => String(value);
  }
}

/** DuckDB counts days, seconds, milli-, micro- or nanoseconds since 1970, each in a differently named field. */
function toMilliseconds(value: NonNullable<DuckDBValue>): number | undefined {
  const time = value as { days?: number; seconds?: bigint; millis?: bigint; micros?: bigint; nanos?: bigint };
  if (time.days !== undefined) return time.days * day;
  if (time.micros !== undefined) return toQuotient(time.micros, 1000n);
  if (time.millis !== undefined) return Number(time.millis);
  if (time.seconds !== undefined) return Number(time.seconds) * 1000;
  return time.nanos === undefined ? undefined : toQuotient(time.nanos, 1_000_000n);
}

function toQuotient(value: bigint, by: bigint): number {
  // Small enough that the quotient is not rounded up.
  if (value > -(2n ** 52n) && value < 2n ** 52n) return Math.floor(Number(value) / Number(by));
  return Number(floorDivide(value, by));
}

function timeDecoder(column: Column, zone: string): ValueDecoder {
  const label = labelWriter(column, zone);
  return (value) => {
    const instant = toMilliseconds(value);
    if (instant === undefined || !(Math.abs(instant) <= 8.64e15)) return String(value);
    return label(instant);
  };
}

/** Cache the labels of buckets, which repeat. Other times hardly repeat. */
function labelWriter(column: Column, zone: string): (instant: number) => string {
  const write = timeWriter(column, zone);
  if (column.granularity === undefined && column.custom === undefined) return write;
  const labels = new Map<number, string>();
  return (instant) => {
    let label = labels.get(instant);
    if (label === undefined) {
      if (labels.size > 10_000) labels.clear();
      label = write(instant);
      labels.set(instant, label);
    }
    return label;
  };
}

function valuesBy(decode: ValueDecoder): ColumnDecoder {
  return (chunk, index) => {
    const vector = chunk.getColumnVector(index);
    const values = new Array<Value>(chunk.rowCount);
    for (let row = 0; row < values.length; row++) {
      const value = vector.getItem(row) as DuckDBValue;
      values[row] = value === null ? null : decode(value);
    }
    return values;
  };
}

/** A typed array if every value is a number, otherwise a list of values. */
function decodeNumbers(chunk: DuckDBDataChunk, index: number): readonly Value[] | Float64Array {
  const vector = chunk.getColumnVector(index);
  const numbers = new Float64Array(chunk.rowCount);
  for (let row = 0; row < numbers.length; row++) {
    const value = vector.getItem(row) as bigint | number | null;
    const number = typeof value === 'bigint' ? decodeInteger(value) : value;
    if (typeof number !== 'number') return mixedNumbers(vector, chunk.rowCount);
    numbers[row] = number;
  }
  return numbers;
}

function mixedNumbers(vector: DuckDBVector, count: number): readonly Value[] {
  return Array.from({ length: count }, (_, row) => {
    const value = vector.getItem(row) as bigint | number | null;
    return typeof value === 'bigint' ? decodeInteger(value) : value;
  });
}

const text = { kind: 'text' } as const;

/**
 * The data type of a column by DuckDB's type alone, so that it is the same for every answer to a question. undefined
 * for numbers that arrive as text.
 */
export function toTypeClaim(type: DuckDBType, column: Column): TypeClaim | undefined {
  const kind = kindOf(type);
  if (column.type === 'string') return text;
  switch (kind) {
    case 'integer':
      return { kind: isBeyond64Bits(type) ? 'whole' : 'integer' };
    case 'decimal': {
      const { width, scale } = type as unknown as { readonly width: number; readonly scale: number };
      return { kind, precision: width, scale };
    }
    case 'double':
    case 'boolean':
      return { kind };
    case 'instant':
      return toTime(column);
    case 'date':
      return column.type === 'time' ? toTime(column) : text;
    case 'text':
      return column.type === 'number' ? undefined : text;
    case 'other':
      return text;
  }
}

function isBeyond64Bits(type: DuckDBType): boolean {
  return /^(UBIGINT|U?HUGEINT)$/.test(type.toString());
}
