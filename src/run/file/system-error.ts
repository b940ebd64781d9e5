import { readlink } from 'node:fs/promises';
import { BackendError, type SluiceError } from '../../ask/sluice-error.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full, or has no free inodes',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file would be too large',
  EIO: 'the device failed',
  EROFS: 'the disk is read-only',
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  ESTALE: 'the network drive no longer has this file',
  ENOENT: 'it does not exist',
  EEXIST: 'a file has this name',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links form a loop',
  EBUSY: 'it is in use',
  ETIMEDOUT: 'the network drive did not answer',
  ENOTCONN: 'the network drive is not connected',
  EHOSTDOWN: 'the network drive is not reachable',
  ENXIO: 'the device is not there',
};

/** The reason for a system error in words, with its code. */
export function systemReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message;
  return Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code;
}

/** True if an error means that a path does not exist. */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}

/** undefined if what is read does not exist. */
export function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}

/** The error for a link that leads nowhere. */
export async function brokenLink(file: string): Promise<BackendError> {
  return new BackendError(`${file} is a link to ${await readlink(file)}, which does not exist.`, {
    code: 'file-vanished',
    hint: 'Restore it (a drive may not be mounted), or remove the link.',
  });
}

/** System calls that modify files; all others only read. */
const writing =
  /^(?:write|mkdir|rename|unlink|rmdir|rm|ftruncate|truncate|chmod|fchmod|chown|fchown|fsync|fdatasync|copyfile|link|symlink|utime|futime|mkdtemp)/;

/**
 * Converts a system error about a file or folder if no caller has a better message; undefined for other errors. `file`:
 * what was used, for errors that do not say so. Code: `file-unwritable` or `file-unreadable`.
 */
export function toSystemError(error: unknown, file?: string): SluiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  const refused = error as NodeJS.ErrnoException;
  if (typeof refused.code !== 'string' || typeof refused.syscall !== 'string' || !Object.hasOwn(reasons, refused.code))
    return undefined;
  const isWriting = writing.test(refused.syscall) || ['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'].includes(refused.code);
  const what = refused.path ?? file ?? (isWriting ? 'A file' : 'An input');
  return new BackendError(`${what} cannot be ${isWriting ? 'written' : 'read'}: ${systemReason(refused)}.`, {
    code: isWriting ? 'file-unwritable' : 'file-unreadable',
    cause: error,
    hint: isWriting
      ? 'Check the disk and the permissions, and run the same command again.'
      : 'Check the disk and the permissions of the file.',
  });
}

/** Why the system or the engine could not write: no space, no memory, or `reason` in words. */
type WriteFault =
  | { readonly kind: 'disk-full' }
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Recognises Node's errors by code and DuckDB's by message; undefined if the error is not a write fault. */
export function toWriteFault(error: Error): WriteFault | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (
    ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code ?? '') ||
    /No space left|Disk quota|File too large|Could not write all bytes/i.test(message)
  )
    return { kind: 'disk-full' };
  if (/^Out of Memory Error/.test(message)) return { kind: 'out-of-memory' };
  const reason =
    code !== undefined
      ? systemReason(error)
      : /Permission denied|Read-only file system|Not a directory/i.exec(message)?.[0];
  return reason === undefined ? undefined : { kind: 'refused', reason };
}
