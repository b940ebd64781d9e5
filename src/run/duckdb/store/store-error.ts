import { AbortedError, BackendError, SluiceError } from '../../../ask/sluice-error.ts';
import { systemReason } from '../../file/system-error.ts';

/** Why a store could not be changed, in words; it is as it was before. */
export function toStoreError(error: unknown, folder: string, signal?: AbortSignal): unknown {
  if (error instanceof AbortedError) return error;
  if (signal?.aborted) return new AbortedError(error);
  if (error instanceof SluiceError || !(error instanceof Error)) return error;
  const text = error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' || /No space left|Disk quota|File too large|Could not write all bytes/i.test(text)) {
    return new BackendError(`There is no room left for the store in ${folder}; it is as it was before.`, {
      code: 'disk-full', cause: error, hint: 'Make room on the disk and run the same command again, or name another folder by `--store`.',
    });
  }
  if (/^Out of Memory Error/.test(text)) {
    return new BackendError(`The engine had too little memory for the store in ${folder}; it is as it was before.`, {
      code: 'out-of-memory', cause: error, hint: 'Give it more memory, or room in the folder for temporary files (`TMPDIR`).',
    });
  }
  const reason = code !== undefined ? systemReason(error as NodeJS.ErrnoException) : /Permission denied|Read-only file system|Not a directory/i.exec(text)?.[0];
  if (reason === undefined) return error;
  return new BackendError(`The store in ${folder} cannot be written: ${reason}.`, {
    code: 'store-unwritable', cause: error, hint: 'Look whether you may write there, or name another folder by `--store` or SLUICE_STORE.',
  });
}

/** Faults of the place, not of the file that is read. */
export function isOfThePlace(error: unknown): boolean {
  return !(error instanceof Error) || error instanceof SluiceError
    || /^(Binder|Parser|Catalog|Out of Memory|INTERRUPT|Internal)|No space left|Disk quota|File too large|Could not write|Permission denied|Read-only file system/i.test(error.message);
}
