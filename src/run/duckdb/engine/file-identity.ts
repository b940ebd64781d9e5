import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { BackendError, throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Packing } from '../../file/pack.ts';
import { readBytes, roomForSize } from '../../file/read-bytes.ts';
import { PackingDamage } from '../../file/unpack.ts';
import { markOf } from '../../looks.ts';
import { vanishedFile } from './to-backend-error.ts';

/** The properties that change when a file's bytes change. */
interface FileLook {
  readonly bytes: number;
  /** Compared as a whole. */
  readonly mark: string;
}

/** Error: `file-vanished`. */
export async function lookAtFile(file: string): Promise<FileLook> {
  const found = await stat(file, { bigint: true }).catch((cause: unknown) => {
    throw vanishedFile(file, cause);
  });
  return { bytes: Number(found.size), mark: markOf(found) };
}

/** Throws `file-changed` if the file changed since its identity was taken. */
export async function demandUnchanged(file: string, before: FileLook, hashedBytes: number): Promise<void> {
  const after = await lookAtFile(file);
  if (after.mark === before.mark && hashedBytes === before.bytes) return;
  throw new BackendError(`${file} changed while it was read. Nothing was loaded from it.`, {
    code: 'file-changed',
    hint: 'Wait until no program writes to it, and run the same command again.',
  });
}

interface FileHash {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The hash of bytes in memory. */
export function hashBytes(bytes: Buffer): FileHash {
  return { sha256: sha256Of(bytes), bytes: bytes.length };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The hash of a file's unpacked contents. */
export interface ContentHash extends FileHash {
  /** Tells apart most contents of at least `headBytes`; undefined for shorter ones. */
  readonly head: string | undefined;
  /** Hashes of the first bytes, by how many. */
  readonly starts: ReadonlyMap<number, string>;
}

/** The size of the head of contents. */
export const headBytes = 1 << 12;

/** Hashes contents that come in pieces. `sizesFor`: the numbers of first bytes to hash, given the head. */
export function openContentHash(sizesFor: (head: string | undefined) => readonly number[] = () => []) {
  const hash = createHash('sha256');
  const starts = new Map<number, string>();
  let waiting: Buffer | undefined = Buffer.alloc(0);
  let [bytes, head, sizes] = [0, undefined as string | undefined, [] as number[]];
  const add = (piece: Uint8Array) => {
    let from = 0;
    for (; sizes.length > 0 && sizes[0]! <= bytes + piece.length - from; sizes.shift()) {
      const end = from + sizes[0]! - bytes;
      hash.update(piece.subarray(from, end));
      bytes += end - from;
      from = end;
      starts.set(sizes[0]!, hash.copy().digest('hex'));
    }
    hash.update(piece.subarray(from));
    bytes += piece.length - from;
  };
  const begin = (first: Buffer) => {
    waiting = undefined;
    if (first.length >= headBytes) head = sha256Of(first.subarray(0, headBytes)).slice(0, 16);
    sizes = [...new Set(sizesFor(head))].sort((one, other) => one - other);
    add(first);
  };
  return {
    update(piece: Uint8Array): void {
      if (!waiting) return add(piece);
      waiting = Buffer.concat([waiting, piece]);
      if (waiting.length >= headBytes) begin(waiting);
    },
    end(): ContentHash {
      if (waiting) begin(waiting);
      return { sha256: hash.digest('hex'), bytes, head, starts };
    },
  };
}

/** The hash of unpacked contents; undefined if the packing is damaged. */
export async function hashUnpacked(
  file: string,
  packing: Packing,
  hash = openContentHash(),
  signal?: AbortSignal,
): Promise<ContentHash | undefined> {
  try {
    for await (const piece of readBytes(file, packing, { signal })) hash.update(piece);
    return hash.end();
  } catch (error) {
    if (error instanceof PackingDamage) return undefined;
    throw error;
  }
}

/**
 * The hash of a file's bytes as stored, compressed or not. `onBytes` is called with the size of every piece. Stops at a
 * file that grows meanwhile, after more bytes than it had.
 */
export async function hashFile(
  file: string,
  signal?: AbortSignal,
  onBytes?: (count: number) => void,
  hash = openContentHash(),
): Promise<ContentHash> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  // One buffer for all pieces: buffers of their own keep the garbage collector busy beside DuckDB.
  const piece = Buffer.allocUnsafeSlow(roomForSize(size));
  let bytes = 0;
  while (bytes <= size) {
    throwIfAborted(signal);
    const { bytesRead } = await handle.read(piece, 0, piece.length);
    if (bytesRead === 0) break;
    hash.update(piece.subarray(0, bytesRead));
    bytes += bytesRead;
    onBytes?.(bytesRead);
  }
  return hash.end();
}
