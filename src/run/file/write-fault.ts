import { systemReason } from './system-error.ts';

/** Why the system or the engine could not write: no room, no memory, or `reason`, in words. */
export type WriteFault =
  | { readonly kind: 'disk-full' }
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads Node's error by its code, and DuckDB's by its words. Undefined for what is no fault of writing. */
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
