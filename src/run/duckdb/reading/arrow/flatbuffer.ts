/**
 * A FlatBuffers table (flatbuffers.dev, "Internals") with numbered fields. An absent field is 0 or undefined. Reads
 * beyond the bytes throw a `RangeError`. Offsets only lead forward, so a table cannot contain itself.
 */
export interface FlatTable {
  byte(field: number): number;
  short(field: number): number;
  long(field: number): bigint;
  table(field: number): FlatTable | undefined;
  /** A vector with elements of `stride` bytes. */
  vector(field: number, stride: number): FlatVector;
}

export interface FlatVector {
  readonly length: number;
  /** A number in an element, `offset` bytes from its start; throws if it is not a safe integer. */
  long(index: number, offset?: number): number;
  /** The table that an element's offset refers to. */
  table(index: number): FlatTable;
}

const noElements: FlatVector = { length: 0, long: outside, table: outside };

function outside(): never {
  throw new RangeError('an element that does not exist');
}

/** The table that the offset at `index` refers to. */
export function readFlatTable(bytes: Buffer, index = 0): FlatTable {
  const at = follow(bytes, index);
  const fields = at - bytes.readInt32LE(at);
  const size = bytes.readInt16LE(fields);
  const place = (field: number) => {
    const entry = 4 + 2 * field;
    const offset = entry < size ? bytes.readInt16LE(fields + entry) : 0;
    if (offset < 0) throw new RangeError('an offset that points backwards');
    return offset === 0 ? undefined : at + offset;
  };
  const value = <T>(field: number, read: (offset: number) => T, otherwise: T) => {
    const offset = place(field);
    return offset === undefined ? otherwise : read(offset);
  };
  return {
    byte: (field) => value(field, (offset) => bytes.readUInt8(offset), 0),
    short: (field) => value(field, (offset) => bytes.readInt16LE(offset), 0),
    long: (field) => value(field, (offset) => bytes.readBigInt64LE(offset), 0n),
    table: (field) => value<FlatTable | undefined>(field, (offset) => readFlatTable(bytes, offset), undefined),
    vector: (field, stride) => value(field, (offset) => readVector(bytes, offset, stride), noElements),
  };
}

function readVector(bytes: Buffer, index: number, stride: number): FlatVector {
  const at = follow(bytes, index);
  const length = bytes.readUInt32LE(at);
  const first = at + 4;
  if (length * stride > bytes.length - first) throw new RangeError('more elements than there are bytes');
  const check = (element: number) => (element >= 0 && element < length ? first + element * stride : outside());
  return {
    length,
    long(element, offset = 0) {
      const value = Number(bytes.readBigInt64LE(check(element) + offset));
      return Number.isSafeInteger(value) ? value : outside();
    },
    table: (element) => readFlatTable(bytes, check(element)),
  };
}

function follow(bytes: Buffer, index: number): number {
  const offset = bytes.readUInt32LE(index);
  if (offset === 0 || index + offset >= bytes.length) throw new RangeError('an offset outside the file');
  return index + offset;
}
