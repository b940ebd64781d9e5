import { Type, type Batch, type DataType } from '@uwdata/flechette';

/** How the values of a column of Arrow are written as fields of CSV, and read again. */
export interface ArrowColumn {
  /** Of the field. */
  readonly csvType: string;
  /** SQL over the field, given by its reference, for the column's own type. */
  readonly read: (reference: string) => string;
  /** The field's text, of a value that is there, as flechette gives it with big integers and whole decimals. */
  readonly write: (value: unknown) => string;
  /** The column's bytes are the text's. */
  readonly bytes: boolean;
}

const asItStands = (reference: string) => reference;
const text: ArrowColumn = { csvType: 'VARCHAR', read: asItStands, write: String, bytes: false };
const json: ArrowColumn = { ...text, read: (reference) => `CAST(${reference} AS JSON)`, write: jsonOf };
const binary: ArrowColumn = { ...text, write: (value) => Buffer.from(value as Uint8Array).toString('utf8') };
const signed = { 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' } as const;
const dayLength = 86_400_000;

/** Nested values become JSON; what has no counterpart becomes text. Times are naive UTC to the microsecond. */
export function toArrowColumn(type: DataType): ArrowColumn {
  switch (type.typeId) {
    case Type.Int:
      return { ...text, csvType: `${type.signed ? '' : 'U'}${signed[type.bitWidth]}` };
    case Type.Float:
      return { ...text, csvType: 'DOUBLE' };
    case Type.Bool:
      return { ...text, csvType: 'BOOLEAN' };
    case Type.Utf8: case Type.LargeUtf8:
      return { ...text, bytes: true };
    case Type.Timestamp:
      return { ...text, csvType: 'BIGINT', write: (value) => String(Math.round((value as number) * 1000)), read: (reference) => `make_timestamp(${reference})` };
    case Type.Date:
      return { ...text, csvType: 'INTEGER', write: (value) => String(Math.floor((value as number) / dayLength)), read: (reference) => `DATE '1970-01-01' + ${reference}` };
    case Type.Decimal: {
      const fits = type.precision <= 38 && type.scale >= 0 && type.scale <= type.precision;
      return { ...text, csvType: fits ? `DECIMAL(${type.precision}, ${type.scale})` : 'VARCHAR', write: (value) => decimalText(BigInt(value as bigint | number), type.scale) };
    }
    case Type.Dictionary:
      return toArrowColumn(type.dictionary);
    case Type.Binary: case Type.LargeBinary: case Type.BinaryView: case Type.FixedSizeBinary:
      return binary;
    case Type.List: case Type.LargeList: case Type.ListView: case Type.LargeListView: case Type.FixedSizeList: case Type.Struct: case Type.Map: case Type.Union:
      return json;
    default:
      return text;
  }
}

function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return String(value * 10n ** BigInt(-scale));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** ECMA-262 2026, JSON.parse source text access; not in the compiler's library yet. */
interface JsonWithRaw {
  rawJSON(text: string): unknown;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return (JSON as unknown as JsonWithRaw).rawJSON(String(inner));
    if (inner instanceof Map) return Object.fromEntries(inner);
    return ArrayBuffer.isView(inner) ? Array.from(inner as unknown as ArrayLike<unknown>) : inner;
  });
}

/** Writes one value of a batch as a field. */
export type FieldWriter = (row: number, target: FieldTarget) => void;

/** Fields of CSV: a missing value is nothing at all, every other is in quotation marks. */
export interface FieldTarget {
  /** UTF-8, from `start` to `end`. */
  writeBytes(bytes: Uint8Array, start: number, end: number): void;
  writeText(text: string): void;
}

/** What flechette's class of dictionary batches has beside the batch. */
interface Coded {
  readonly dictionary: { readonly data: readonly Batch<unknown>[] };
  key(row: number): number;
}

export function fieldWriter(batch: Batch<unknown>, column: ArrowColumn): FieldWriter {
  const isThere = batch.nullCount > 0 && batch.validity ? (row: number) => batch.isValid(row) : () => true;
  if (column.bytes && batch.type.typeId === Type.Dictionary) {
    const { dictionary, key } = batch as unknown as Coded;
    // By their bytes too: as texts they would lose a byte order mark.
    const entries = dictionary.data.flatMap((part) => {
      const write = fieldWriter(part, column);
      return Array.from({ length: part.length }, (_, row) => (target: FieldTarget) => write(row, target));
    });
    return (row, target) => {
      if (isThere(row)) entries[key.call(batch, row)]!(target);
    };
  }
  if (column.bytes) {
    const offsets = batch.offsets as Int32Array | BigInt64Array;
    const values = batch.values as Uint8Array;
    return (row, target) => {
      if (isThere(row)) target.writeBytes(values, Number(offsets[row]), Number(offsets[row + 1]));
    };
  }
  return (row, target) => {
    const value = batch.at(row);
    if (value !== null && value !== undefined) target.writeText(column.write(value));
  };
}
