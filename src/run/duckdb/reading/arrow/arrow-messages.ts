import { stat } from 'node:fs/promises';
import { type ByteSource, openByteSource } from '../../../file/byte-source.ts';
import { type Compression, readBytes } from '../../../file/read-bytes.ts';
import { type FlatTable, readFlatTable } from './flatbuffer.ts';

/** One encapsulated message of an Arrow stream, as stored (arrow.apache.org, "Columnar Format"). */
export interface ArrowMessage {
  readonly kind: 'schema' | 'dictionary' | 'batch' | 'other';
  readonly bytes: Uint8Array;
  /** The message's metadata, and its size in bytes. */
  readonly flat: FlatTable;
  readonly flatBytes: number;
  /** The bytes after the metadata. */
  readonly body: Buffer;
  /** For a dictionary: its id, and whether it extends the previous one instead of replacing it. */
  readonly dictionary?: { readonly id: bigint; readonly adds: boolean } | undefined;
}

const magic = Buffer.from('ARROW1\0\0');
const continuation = 0xffffffff;
const fileEnd = 'ARROW1';
const longestMetadata = 1 << 28;
/** Limit for packed files, whose unpacked size is unknown. */
const longestBody = 2 ** 32;

/**
 * The messages of an Arrow file or stream, one at a time. A file is a stream with a magic number before it and a footer
 * that repeats the metadata. Rejects if the data ends inside a message, a file has no footer, or other data follows a
 * stream; and with `PackingDamage`.
 */
export async function* readArrowMessages(path: string, compression: Compression): AsyncGenerator<ArrowMessage> {
  const size = compression === 'none' ? (await stat(path)).size : undefined;
  await using source = openByteSource(readBytes(path, compression));
  const start = await source.peek(magic.length);
  const isFile = start.equals(magic);
  if (isFile) await source.take(magic.length);
  for (let position = isFile ? magic.length : 0; ; ) {
    const first = await source.peek(4);
    // The end marker of a stream is optional. The footer of a file is not.
    if (first.length === 0 && !isFile) return;
    const isMarked = first.length === 4 && first.readUInt32LE(0) === continuation;
    const prefix = isMarked ? 8 : 4;
    const head = await source.peek(prefix);
    if (head.length < prefix) throw new Error(cut);
    const length = head.readInt32LE(prefix - 4);
    if (length === 0) return checkEnd(source, prefix, isFile);
    if (length < 0 || length > longestMetadata) throw new Error('a message with an invalid length');
    const metadata = (await source.peek(prefix + length)).subarray(prefix);
    if (metadata.length < length) throw new Error(cut);
    const described = describeMessage(metadata);
    position += prefix + length;
    if (described.bodyLength > (size === undefined ? longestBody : size - position)) throw new Error(cut);
    position += described.bodyLength;
    const bytes = await takeAligned(source, prefix + length, described.bodyLength);
    const body = Buffer.from(bytes.buffer, bytes.byteOffset + prefix + length, described.bodyLength);
    yield { ...described, bytes, body };
  }
}

const cut = 'the data ends inside a message';

async function checkEnd(source: ByteSource, prefix: number, isFile: boolean): Promise<void> {
  await source.take(prefix);
  let end = Buffer.alloc(0);
  for (let piece = await source.next(); piece !== undefined; piece = await source.next()) {
    if (!isFile && piece.some((byte) => byte !== 0)) throw new Error('other data follows the end of the stream');
    end = Buffer.concat([end, piece]).subarray(-fileEnd.length);
  }
  if (isFile && end.toString('latin1') !== fileEnd) throw new Error('the file ends before its footer does');
}

/** Aligns the body to eight bytes, as typed arrays require. */
async function takeAligned(source: ByteSource, metadata: number, body: number): Promise<Uint8Array> {
  const bytes = await source.take(metadata + body);
  if (bytes.length < metadata + body) throw new Error(cut);
  const front = (8 - (metadata % 8)) % 8;
  const aligned = new Uint8Array(front + bytes.length);
  aligned.set(bytes, front);
  return aligned.subarray(front);
}

const kinds = { 1: 'schema', 2: 'dictionary', 3: 'batch' } as const;

/**
 * Fields in Message.fbs: version, header type, header, body length. Fields of a dictionary's header: id, data, isDelta.
 */
function describeMessage(metadata: Buffer): Omit<ArrowMessage, 'bytes' | 'body'> & { readonly bodyLength: number } {
  const flat = readFlatTable(metadata);
  const kind = kinds[flat.byte(1) as keyof typeof kinds] ?? 'other';
  const bodyLength = Number(flat.long(3));
  if (!(bodyLength >= 0)) throw new Error('a message with an invalid length');
  const header = flat.table(2);
  const dictionary = kind === 'dictionary' && header ? { id: header.long(0), adds: header.byte(2) !== 0 } : undefined;
  return { kind, flat, flatBytes: metadata.length, bodyLength, dictionary };
}
