import { type NativeType, readNativeType } from './native-type.ts';

/** A value as stored in a block: integers of 8 and more bytes are bigint, times are ticks. */
export type RawValue = string | number | bigint | boolean | null;

export interface NativeColumn {
  readonly type: NativeType;
  readonly values: readonly RawValue[] | Float64Array;
}

export interface NativeBlock {
  readonly rowCount: number;
  readonly columns: readonly NativeColumn[];
}

/** The bytes are not a block. A server that fails during an answer writes its error after the data. */
export class NotNative extends Error {
  readonly tail: string;
  constructor(message: string, tail: string) {
    super(message);
    this.tail = tail;
  }
}

/** Values of this type have no meaning in a Result: a list, a map, or a state of an aggregate function. */
export class UnreadableType extends Error {}

/** If a name is longer, the data is something else. */
const longestName = 65_536;

/**
 * Reads an answer in ClickHouse's Native format, block by block. Rejects with `NotNative` or `UnreadableType`, and as
 * the stream does.
 */
export async function* readBlocks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<NativeBlock, void, undefined> {
  const reader = new ByteReader(stream);
  let columns: number | undefined;
  while (await reader.more()) {
    const start = reader.mark();
    const count = await reader.varint();
    columns ??= count;
    const rowCount = await reader.varint();
    if (count !== columns || count > 10_000) throw await reader.notNative(start, 'the number of columns');
    const block: NativeColumn[] = [];
    for (let index = 0; index < count; index++) {
      const at = reader.mark();
      const name = await reader.text(longestName);
      const typeName = await reader.text(longestName);
      const type = name === undefined || typeName === undefined ? undefined : readNativeType(typeName);
      if (name === undefined || typeName === undefined) throw await reader.notNative(at, 'the name of a column');
      if (!type) throw new UnreadableType(typeName);
      block.push({ type, values: rowCount === 0 ? [] : await readColumn(reader, type, rowCount) });
    }
    yield { rowCount, columns: block };
  }
}

async function readColumn(reader: ByteReader, type: NativeType, rows: number): Promise<NativeColumn['values']> {
  switch (type.kind) {
    case 'nullable': {
      const missing = Uint8Array.from(await reader.bytes(rows));
      const values = await readColumn(reader, type.of, rows);
      return missing.includes(1)
        ? Array.from(values as RawValue[], (value, row) => (missing[row] ? null : value))
        : values;
    }
    case 'dictionary':
      return readDictionary(reader, type.of, rows);
    case 'text': {
      const values = new Array<string>(rows);
      for (let row = 0; row < rows; row++) values[row] = (await reader.textNow()) ?? '';
      return values;
    }
    case 'fixed-text': {
      const bytes = await reader.bytes(rows * type.bytes);
      return Array.from({ length: rows }, (_, row) =>
        bytes.toString('utf8', row * type.bytes, (row + 1) * type.bytes).replace(/\0+$/, ''),
      );
    }
    case 'double': {
      const bytes = await reader.bytes(rows * type.bytes);
      const values = new Float64Array(rows);
      for (let row = 0; row < rows; row++)
        values[row] = type.bytes === 8 ? bytes.readDoubleLE(row * 8) : bytes.readFloatLE(row * 4);
      return values;
    }
    case 'boolean':
      return Array.from(await reader.bytes(rows), (byte) => byte !== 0);
    case 'nothing':
      await reader.bytes(rows);
      return new Array<null>(rows).fill(null);
    case 'uuid': {
      const bytes = await reader.bytes(rows * 16);
      return Array.from({ length: rows }, (_, row) => {
        const [high, low] = [bytes.readBigUInt64LE(row * 16), bytes.readBigUInt64LE(row * 16 + 8)];
        const digits = high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0');
        return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      });
    }
    case 'ipv4': {
      const bytes = await reader.bytes(rows * 4);
      return Array.from({ length: rows }, (_, row) => [...bytes.subarray(row * 4, row * 4 + 4)].reverse().join('.'));
    }
    case 'ipv6': {
      const bytes = await reader.bytes(rows * 16);
      return Array.from({ length: rows }, (_, row) => writeIpv6(bytes.subarray(row * 16, row * 16 + 16)));
    }
    case 'enum': {
      const bytes = await reader.bytes(rows * type.bytes);
      return Array.from({ length: rows }, (_, row) => {
        const value = type.bytes === 1 ? bytes.readInt8(row) : bytes.readInt16LE(row * 2);
        return type.names.get(value) ?? String(value);
      });
    }
    case 'date':
      return wholeNumbers(await reader.bytes(rows * type.bytes), rows, type.bytes, type.bytes === 4);
    case 'integer':
    case 'instant':
      return wholeNumbers(await reader.bytes(rows * type.bytes), rows, type.bytes, type.signed);
    case 'decimal':
      return wholeNumbers(await reader.bytes(rows * type.bytes), rows, type.bytes, true);
  }
}

/** As the server writes it: `::1`, `::ffff:10.0.0.1`. */
function writeIpv6(bytes: Buffer): string {
  const isMapped = bytes.toString('hex', 0, 12) === `${'0'.repeat(20)}ffff`;
  if (isMapped) return `::ffff:${bytes.subarray(12).join('.')}`;
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Stores each distinct value once, and an index for each row. */
async function readDictionary(reader: ByteReader, of: NativeType, rows: number): Promise<readonly RawValue[]> {
  await reader.bytes(8);
  const width = (1 << Number((await reader.bytes(8)).readBigUInt64LE() & 0xffn)) as 1 | 2 | 4 | 8;
  const size = Number((await reader.bytes(8)).readBigUInt64LE());
  const keys = await readColumn(reader, of.kind === 'nullable' ? of.of : of, size);
  await reader.bytes(8);
  const places = wholeNumbers(await reader.bytes(rows * width), rows, width, false);
  return Array.from(places as RawValue[], (place) =>
    of.kind === 'nullable' && Number(place) === 0 ? null : (keys[Number(place)] as RawValue),
  );
}

function wholeNumbers(bytes: Buffer, rows: number, width: number, signed: boolean): readonly RawValue[] {
  const values = new Array<RawValue>(rows);
  for (let row = 0; row < rows; row++) {
    const at = row * width;
    if (width <= 4) values[row] = signed ? bytes.readIntLE(at, width) : bytes.readUIntLE(at, width);
    else {
      let value = 0n;
      for (let part = width - 8; part >= 0; part -= 8) value = (value << 64n) | bytes.readBigUInt64LE(at + part);
      values[row] = signed ? BigInt.asIntN(width * 8, value) : value;
    }
  }
  return values;
}

/** Reads bytes from a stream on demand. */
class ByteReader {
  #stream: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  /** The current position, as the unread bytes; valid within the current block. */
  mark(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  async more(): Promise<boolean> {
    while (this.#at >= this.#buffer.length) if (!(await this.#fetch(1))) return false;
    return true;
  }

  /** Reads at least this many more bytes; false if the stream ends first. */
  async #fetch(missing: number): Promise<boolean> {
    const parts: Uint8Array[] = [this.#buffer.subarray(this.#at)];
    for (let fetched = 0; fetched < missing; ) {
      const next = await this.#stream.next();
      if (next.done) {
        this.#buffer = Buffer.concat(parts);
        this.#at = 0;
        return false;
      }
      fetched += next.value.length;
      parts.push(next.value);
    }
    this.#buffer = Buffer.concat(parts);
    this.#at = 0;
    return true;
  }

  async #need(count: number): Promise<void> {
    const missing = count - (this.#buffer.length - this.#at);
    if (missing > 0 && !(await this.#fetch(missing)))
      throw new NotNative('the answer ends early', this.mark().toString());
  }

  /** The view is valid until the next read. */
  async bytes(count: number): Promise<Buffer> {
    await this.#need(count);
    return this.#buffer.subarray(this.#at, (this.#at += count));
  }

  async varint(): Promise<number> {
    let value = 0;
    for (let shift = 0; shift < 56; shift += 7) {
      if (this.#at >= this.#buffer.length) await this.#need(1);
      const byte = this.#buffer[this.#at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new NotNative('a number is too long', this.mark().toString());
  }

  /** Undefined if the text is longer than `longest` bytes. */
  async text(longest: number): Promise<string | undefined> {
    const length = await this.varint();
    return length > longest ? undefined : (await this.bytes(length)).toString();
  }

  /** Does not wait if the bytes are available. */
  textNow(): string | Promise<string | undefined> {
    const byte = this.#buffer[this.#at];
    if (byte !== undefined && byte < 0x80 && this.#at + 1 + byte <= this.#buffer.length) {
      const start = this.#at + 1;
      this.#at = start + byte;
      return this.#buffer.toString('utf8', start, this.#at);
    }
    return this.text(Infinity);
  }

  /** Builds the error: all bytes from `from` on are the server's message. */
  async notNative(from: Buffer, what: string): Promise<NotNative> {
    const rest: Uint8Array[] = [from];
    if (from.length < 65_536) {
      for (let next = await this.#stream.next(); !next.done && rest.length < 100; next = await this.#stream.next())
        rest.push(next.value);
    }
    return new NotNative(`${what} does not read`, Buffer.concat(rest).toString());
  }
}
