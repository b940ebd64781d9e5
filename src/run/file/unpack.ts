import type { Transform } from 'node:stream';
import { type ByteSource, openByteSource } from './byte-source.ts';
import type { Packing } from './pack.ts';

/** Packed data that is truncated, corrupt, or followed by other data. */
export class PackingDamage extends Error {
  override readonly name = 'PackingDamage';
  /** True if all packed contents were returned before the fault. */
  readonly complete: boolean;

  constructor(
    packing: Packing,
    detail: string | undefined,
    { complete = false, cause }: { complete?: boolean; cause?: unknown } = {},
  ) {
    super(`the ${packing} data is damaged${detail === undefined ? '' : ` (${detail})`}`, { cause });
    this.complete = complete;
  }
}

const mostAtOnce = 1 << 18;

const tooEarly = 'it ends too early';
const otherBytes = 'other bytes follow it';

/**
 * The contents of consecutive gzip members (RFC 1952) or zstd frames (RFC 8878), in pieces. Zeros may follow gzip
 * members as padding. Rejects with `PackingDamage` after the contents before the fault. Node's own streams stop after
 * the first of several zstd frames, lose their last piece if a fault follows the data, and ignore everything after a
 * zero. `room`: how many bytes to unpack at once. A process that unpacks thousands of small files would mostly
 * allocate.
 */
export async function* unpack(
  pieces: AsyncGenerator<Buffer>,
  packing: Packing,
  room: number = mostAtOnce,
): AsyncGenerator<Buffer> {
  await using source = openByteSource(pieces);
  // Loaded only for packed files, because it takes as long as opening the engine.
  const zlib = await import('node:zlib');
  const options = { chunkSize: Math.min(room, mostAtOnce) };
  do {
    if (packing === 'zstd') yield* decodeMember(source, zlib.createZstdDecompress(options), packing);
    else {
      await skipGzipHeader(source);
      let checksum = 0;
      let length = 0;
      for await (const piece of decodeMember(source, zlib.createInflateRaw(options), packing)) {
        checksum = zlib.crc32(piece, checksum);
        length += piece.length;
        yield piece;
      }
      const trailer = await source.take(8);
      if (trailer.length < 8) throw new PackingDamage(packing, tooEarly, { complete: true });
      if (trailer.readUInt32LE(0) !== checksum || trailer.readUInt32LE(4) !== length % 2 ** 32) {
        throw new PackingDamage(packing, 'its checksum does not match', { complete: true });
      }
    }
  } while (await another(source, packing));
}

/** Decodes one member or frame, and leaves the rest in the source. */
async function* decodeMember(
  source: ByteSource,
  decoder: Transform & { readonly bytesWritten: number },
  packing: Packing,
): AsyncGenerator<Buffer> {
  let fed = 0;
  let fault: unknown;
  let idle = true;
  let wake = () => {};
  const read = () => decoder.read() as Buffer | null;
  const rest = () => {
    idle = true;
    wake();
  };
  decoder.on('readable', () => wake());
  decoder.once('end', rest);
  decoder.once('error', (error) => {
    fault = error;
    wake();
  });
  try {
    for (;;) {
      const piece = await source.next();
      idle = false;
      // The end of a deflate stream shows only in the bytes after it, of which there are at least eight.
      if (piece === undefined && packing === 'gzip') throw new PackingDamage(packing, tooEarly);
      if (piece === undefined) decoder.end();
      else decoder.write(piece, rest);
      for (;;) {
        const isLast = idle || fault !== undefined;
        for (let unpacked = read(); unpacked !== null; unpacked = read()) yield unpacked;
        if (isLast) break;
        if (!idle && fault === undefined) await new Promise<void>((resolve) => (wake = resolve));
      }
      if (fault !== undefined) throw new PackingDamage(packing, faultOf(fault), { cause: fault });
      if (piece === undefined) return;
      fed += piece.length;
      const left = fed - decoder.bytesWritten;
      if (left === 0) continue;
      source.putBack(piece.subarray(piece.length - left));
      return;
    }
  } finally {
    decoder.destroy();
  }
}

function faultOf(fault: unknown): string | undefined {
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return tooEarly;
  return code === 'ZSTD_error_frameParameter_windowTooLarge' ? 'its window is larger than 128 MiB' : undefined;
}

/** True if another member or frame follows. */
async function another(source: ByteSource, packing: Packing): Promise<boolean> {
  const start = await source.peek(4);
  if (start.length === 0) return false;
  if (packingOf(start) === packing) return true;
  if (isStartOf(start, packing)) throw new PackingDamage(packing, tooEarly, { complete: true });
  if (packing === 'gzip' && start[0] === 0) {
    for (let piece = await source.next(); piece !== undefined; piece = await source.next()) {
      if (piece.some((byte) => byte !== 0)) throw new PackingDamage(packing, otherBytes, { complete: true });
    }
    return false;
  }
  throw new PackingDamage(packing, otherBytes, { complete: true });
}

/** The packing of data that begins with these bytes; undefined if it is not packed. */
export function packingOf(start: Buffer): Packing | undefined {
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip';
  if (start.length < 4) return undefined;
  const magic = start.readUInt32LE(0);
  // A skippable frame may come first: pzstd writes one.
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5 ? 'zstd' : undefined;
}

/** True if the file ends within the magic number of this packing. */
export function isStartOf(start: Buffer, packing: Packing): boolean {
  const magics =
    packing === 'gzip'
      ? [[0x1f, 0x8b]]
      : [
          [0x28, 0xb5, 0x2f, 0xfd],
          [0x50, 0x2a, 0x4d, 0x18],
        ];
  return magics.some((magic) => start.length < magic.length && start.every((byte, index) => byte === magic[index]));
}

const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;
const longestName = 1 << 16;

async function skipGzipHeader(source: ByteSource): Promise<void> {
  const demand = async (length: number) => {
    const bytes = await source.take(length);
    if (bytes.length < length) throw new PackingDamage('gzip', tooEarly);
    return bytes;
  };
  const [, , method, flag = 0] = await demand(10);
  if (method !== 8 || (flag & flags.reserved) !== 0) throw new PackingDamage('gzip', undefined);
  if ((flag & flags.extra) !== 0) await demand((await demand(2)).readUInt16LE(0));
  for (const text of [flags.name, flags.comment]) {
    if ((flag & text) === 0) continue;
    const end = (await source.peek(longestName)).indexOf(0);
    await demand(end < 0 ? longestName : end + 1);
  }
  if ((flag & flags.headerCrc) !== 0) await demand(2);
}
