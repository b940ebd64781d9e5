import { tmpdir } from 'node:os';
import path from 'node:path';
import { AbortedError, BackendError, SluiceError } from '../../../ask/sluice-error.ts';
import { toSystemError, toWriteFault } from '../../file/system-error.ts';

/** The error for a failed change. The store is unchanged. */
export function toStoreError(error: unknown, folder: string, signal?: AbortSignal): unknown {
  if (error instanceof AbortedError) return error;
  if (signal?.aborted) return new AbortedError(signal.reason);
  // Writers of whole files already wrap the system's error.
  const system = error instanceof SluiceError && error.code === 'file-unwritable' ? error.cause : error;
  if ((error instanceof SluiceError && system === error) || !(system instanceof Error)) return error;
  const fault = toWriteFault(system);
  switch (fault?.kind) {
    case undefined:
      return error;
    case 'disk-full':
      return new BackendError(`The disk is full, or has no free inodes. The store in ${folder} was not changed.`, {
        code: 'disk-full',
        cause: error,
        hint:
          `Free space on its disk and in the folder for temporary files (${tmpdir()}), ` +
          'and run the same command again.',
      });
    case 'out-of-memory':
      return new BackendError(`The engine ran out of memory. The store in ${folder} was not changed.`, {
        code: 'out-of-memory',
        cause: error,
        hint: 'Raise the memory limit, or free space in the folder for temporary files (`TMPDIR`).',
      });
    case 'refused':
      if (isElsewhere(system, folder)) return toSystemError(system) ?? error;
      return new BackendError(`The store in ${folder} cannot be written: ${whichFolder(system)}${fault.reason}.`, {
        code: 'store-unwritable',
        cause: error,
        hint: 'Check the disk and the permissions, or specify another folder with `--store` or SLUICE_STORE.',
      });
  }
}

/** True if the path is neither in the store nor above it: such as the folder for temporary files. */
function isElsewhere({ path: place }: NodeJS.ErrnoException, folder: string): boolean {
  const contains = (outer: string, inner: string) => !path.relative(outer, inner).startsWith('..');
  return place !== undefined && !contains(folder, place) && !contains(place, folder);
}

function whichFolder({ syscall, path }: NodeJS.ErrnoException): string {
  return syscall === 'mkdir' && path !== undefined ? `the folder ${path} cannot be created, because ` : '';
}

/** Errors of the store's location, not of the file being read. */
export function isOfThePlace(error: unknown): boolean {
  return (
    !(error instanceof Error) ||
    error instanceof SluiceError ||
    /^(Binder|Parser|Catalog|Out of Memory|INTERRUPT|Internal)|No space left|Disk quota|File too large|Could not write|Permission denied|Read-only file system/i.test(
      error.message,
    )
  );
}
