import { readBytes, type Compression } from './read-bytes.ts';

/** One message of an Arrow stream, as it stands there (arrow.apache.org, "Columnar Format", encapsulated messages). */
export interface ArrowMessage {
  readonly kind: 'schema' | 'dictionary' | 'batch' | 'other';
  readonly bytes: Uint8Array;
  /** Of a dictionary: its number, and whether it adds to the one before instead of taking its place. */
  readonly dictionary?: { readonly id: bigint; readonly adds: boolean } | undefined;
}

const magic = Buffer.from('ARROW1\0\0');
const continuation = 0xffffffff;
const longestMetadata = 1 << 28;

/**
 * The messages of an Arrow file or stream, one at a time. The file format is the stream's with a magic before and a footer
 * behind, which repeats what the messages say. Rejects where the file ends inside a message.
 */
export async function* readArrowMessages(path: string, compression: Compression): AsyncGenerator<ArrowMessage> {
  await using source = openPieces(readBytes(path, compression));
  const start = await source.peek(magic.length);
  const isFile = start.equals(magic);
  if (isFile) await source.take(magic.length);
  for (;;) {
    const first = await source.peek(4);
    // Neither an end of stream nor a footer has to be there.
    if (first.length === 0) return;
    if (first.length < 4) throw new Error('the data ends inside a message');
    const isMarked = first.readUInt32LE(0) === continuation;
    const prefix = isMarked ? 8 : 4;
    const head = await source.peek(prefix);
    if (head.length < prefix) throw new Error('the data ends inside a message');
    const length = head.readInt32LE(prefix - 4);
    if (length === 0) return;
    if (length < 0 || length > longestMetadata) throw new Error('a message of no possible length');
    const metadata = (await source.demand(prefix + length)).subarray(prefix);
    const described = describeMessage(metadata);
    yield { ...described, bytes: await source.demandAll(prefix + length, described.bodyLength) };
  }
}

const kinds = { 1: 'schema', 2: 'dictionary', 3: 'batch' } as const;

/** Message.fbs: version, header type, header, body length; of a dictionary's header: id, data, isDelta. */
function describeMessage(metadata: Buffer): Omit<ArrowMessage, 'bytes'> & { readonly bodyLength: number } {
  const message = readTable(metadata, 0);
  const kind = kinds[message.byte(1) as keyof typeof kinds] ?? 'other';
  const bodyLength = Number(message.long(3));
  if (!(bodyLength >= 0)) throw new Error('a message of no possible length');
  const header = message.table(2);
  return { kind, bodyLength, ...(kind === 'dictionary' && header ? { dictionary: { id: header.long(0), adds: header.byte(2) !== 0 } } : {}) };
}

interface Table {
  byte(field: number): number;
  long(field: number): bigint;
  table(field: number): Table | undefined;
}

/** A table of a flatbuffer, to whose root an offset stands at `index`. Reading beyond the bytes throws. */
function readTable(bytes: Buffer, index: number): Table {
  const at = index + bytes.readInt32LE(index);
  const fields = at - bytes.readInt32LE(at);
  const size = bytes.readUInt16LE(fields);
  const place = (field: number) => {
    const entry = 4 + 2 * field;
    const offset = entry < size ? bytes.readUInt16LE(fields + entry) : 0;
    return offset === 0 ? undefined : at + offset;
  };
  const value = <T>(field: number, read: (offset: number) => T, otherwise: T) => {
    const offset = place(field);
    return offset === undefined ? otherwise : read(offset);
  };
  return {
    byte: (field) => value(field, (offset) => bytes.readUInt8(offset), 0),
    long: (field) => value(field, (offset) => bytes.readBigInt64LE(offset), 0n),
    table: (field) => value<Table | undefined>(field, (offset) => readTable(bytes, offset), undefined),
  };
}

interface Pieces extends AsyncDisposable {
  /** Up to so many bytes, which stay. */
  peek(length: number): Promise<Buffer>;
  take(length: number): Promise<Buffer>;
  /** So many bytes, which stay. */
  demand(length: number): Promise<Buffer>;
  /** So many bytes and so many more, aligned as typed arrays need them. */
  demandAll(length: number, more: number): Promise<Uint8Array>;
}

function openPieces(pieces: AsyncGenerator<Buffer>): Pieces {
  let held: Buffer = Buffer.alloc(0);
  const gather = async (length: number) => {
    if (held.length >= length) return;
    const parts = [held];
    let total = held.length;
    while (total < length) {
      const { done, value } = await pieces.next();
      if (done) break;
      parts.push(value);
      total += value.length;
    }
    held = Buffer.concat(parts);
  };
  const peek = async (length: number) => {
    await gather(length);
    return held.subarray(0, length);
  };
  const demand = async (length: number) => {
    const bytes = await peek(length);
    if (bytes.length < length) throw new Error('the data ends inside a message');
    return bytes;
  };
  const take = async (length: number) => {
    const bytes = await demand(length);
    held = held.subarray(length);
    return bytes;
  };
  return {
    peek, demand, take,
    async demandAll(length, more) {
      const bytes = await take(length + more);
      // The body must begin at a multiple of eight.
      const front = (8 - (length % 8)) % 8;
      const aligned = new Uint8Array(front + bytes.length);
      aligned.set(bytes, front);
      return aligned.subarray(front);
    },
    async [Symbol.asyncDispose]() {
      await pieces.return(undefined);
    },
  };
}
