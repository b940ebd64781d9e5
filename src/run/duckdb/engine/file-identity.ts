import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { BackendError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { roomForSize } from '../../file/read-bytes.ts';
import { markOf } from '../../looks.ts';
import { vanishedFile } from './to-backend-error.ts';

/** The properties that change when a file's bytes change. */
export interface FileLook {
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

export interface FileHash {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The hash of bytes in memory. */
export function hashBytes(bytes: Buffer): FileHash {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}

/**
 * The hash of a file's bytes as stored, compressed or not. `onBytes` is called with the size of every piece. Stops at a
 * file that grows meanwhile, after more bytes than it had.
 */
export async function hashFile(
  file: string,
  signal?: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<FileHash> {
  const hash = createHash('sha256');
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
  return { sha256: hash.digest('hex'), bytes };
}
