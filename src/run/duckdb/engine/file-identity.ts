import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BackendError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { roomFor } from '../../file/read-bytes.ts';
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

/** The hash of a file's bytes as stored, compressed or not. `onBytes` is called with the size of every piece. */
export async function hashFile(
  file: string,
  signal?: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(file, { highWaterMark: await roomFor(file) }) as AsyncIterable<Buffer>) {
    throwIfAborted(signal);
    hash.update(piece);
    bytes += piece.length;
    onBytes?.(piece.length);
  }
  return { sha256: hash.digest('hex'), bytes };
}
