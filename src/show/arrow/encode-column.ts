import { invariant } from '../../ask/invariant.ts';
import type { Value, ValueType } from '../../plan/column.ts';
import { toInstant } from '../../plan/to-instant.ts';
import { toUnscaled } from '../../plan/to-unscaled.ts';
import type { Values } from '../../shape/values/values.ts';

/** One column of a batch in Arrow's layout: the validity bitmap, then the value buffers. */
export interface EncodedColumn {
  readonly length: number;
  readonly nullCount: number;
  readonly buffers: readonly Uint8Array[];
}

/** Encodes one column, a batch at a time. The validity bitmap is empty if a batch has no nulls. */
type ColumnEncoder = (values: Values) => EncodedColumn;

type Present = NonNullable<Value>;

/** If `dictionary` is given, texts are written as indices into it. */
export function toColumnEncoder(type: ValueType, dictionary?: readonly string[]): ColumnEncoder {
  switch (type.kind) {
    case 'text':
      return dictionary ? toDictionaryEncoder(dictionary) : encodeTexts;
    case 'boolean':
      return (values) => encoded(values, [toBits(values, (value) => value === true)]);
    case 'integer':
      return (values) => encoded(values, [toIntegers(values, (value) => value as number | bigint)]);
    case 'double':
      return encodeDoubles;
    case 'decimal':
      return (values) => encoded(values, [toDecimals(values, type.scale)]);
    case 'time': {
      const toTime = rememberTimes();
      return (values) => encoded(values, [toIntegers(values, toTime)]);
    }
  }
}

const noBytes = new Uint8Array();

function encoded(values: Values, buffers: readonly Uint8Array[]): EncodedColumn {
  const nullCount = values instanceof Float64Array ? 0 : countNulls(values);
  return {
    length: values.length,
    nullCount,
    buffers: [nullCount === 0 ? noBytes : toBits(values, () => true), ...buffers],
  };
}

function countNulls(values: readonly Value[]): number {
  let count = 0;
  for (const value of values) if (value === null) count += 1;
  return count;
}

/** One bit per value, lowest bit first. Nulls are 0. */
function toBits(values: Values, isSet: (value: Present) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] as Value;
    if (value !== null && isSet(value)) bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7));
  }
  return bits;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function encodeDoubles(values: Values): EncodedColumn {
  const numbers =
    values instanceof Float64Array
      ? values.slice()
      : Float64Array.from(values, (value) => (value === null ? 0 : Number(value)));
  return encoded(values, [bytesOf(numbers)]);
}

const wordSize = 2 ** 32;

function toIntegers(values: Values, toInteger: (value: Present) => number | bigint): Uint8Array {
  const words = new DataView(new ArrayBuffer(values.length * 8));
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] as Value;
    if (value === null) continue;
    const integer = toInteger(value);
    if (typeof integer === 'bigint') words.setBigInt64(row * 8, integer, true);
    else {
      words.setInt32(row * 8 + 4, Math.floor(integer / wordSize), true);
      words.setUint32(row * 8, integer >>> 0, true);
    }
  }
  return bytesOf(words);
}

function toDecimals(values: Values, scale: number): Uint8Array {
  const words = new DataView(new ArrayBuffer(values.length * 16));
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] as Value;
    if (value === null) continue;
    const unscaled = toUnscaled(value as number | bigint | string, scale);
    invariant(unscaled !== undefined, 'a decimal fits its scale');
    words.setBigUint64(row * 16, BigInt.asUintN(64, unscaled), true);
    words.setBigInt64(row * 16 + 8, unscaled >> 64n, true);
  }
  return bytesOf(words);
}

/** Caches the last label: rows of one bucket usually follow each other. */
function rememberTimes(): (value: Present) => number {
  let label: Present | undefined;
  let instant = 0;
  return (value) => {
    if (value === label) return instant;
    const read = toInstant(String(value));
    invariant(read !== undefined, 'a time reads as one');
    label = value;
    return (instant = read);
  };
}

const utf8 = new TextEncoder();

function encodeTexts(values: Values): EncodedColumn {
  const texts = Array.from(values as readonly Value[], (value) => (value === null ? '' : String(value)));
  const joined = texts.join('');
  const bytes = utf8.encode(joined);
  const ends = new Int32Array(texts.length + 1);
  // If there are as many bytes as characters, all texts are ASCII.
  const lengthOf = bytes.length === joined.length ? (text: string) => text.length : (text: string) => utf8Length(text);
  let end = 0;
  for (let row = 0; row < texts.length; row += 1) {
    end += lengthOf(texts[row] as string);
    ends[row + 1] = end;
  }
  // Joining must not merge a lone high surrogate with a lone low surrogate at the start of the next text.
  if (end !== bytes.length)
    return encodeTexts(texts.map((text, row) => (values[row] === null ? null : text.toWellFormed())));
  invariant(end < 2 ** 31, 'the texts of a batch fit into two gigabytes');
  return encoded(values, [bytesOf(ends), bytes]);
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    length += 1;
    if (unit < 0x800) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at += 1;
    length += 1;
  }
  return length;
}

function toDictionaryEncoder(dictionary: readonly string[]): ColumnEncoder {
  const places = new Map(dictionary.map((text, place) => [text, place]));
  return (values) => {
    const indices = Int32Array.from(values as readonly Value[], (value) =>
      value === null ? 0 : (places.get(String(value)) ?? -1),
    );
    invariant(!indices.includes(-1), 'the dictionary has every text');
    return encoded(values, [bytesOf(indices)]);
  };
}
