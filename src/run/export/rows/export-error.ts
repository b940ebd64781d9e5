import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import { systemReason } from '../../file/system-error.ts';

/** An export that cannot go on, or must not. */
export class ExportError extends SluiceError {
  override readonly name = 'ExportError';
}

/** Why an export stopped, in words; what is committed stays. Errors: `disk-full`, `export-unwritable`, `out-of-memory`, `AbortedError`. */
export function toExportError(error: unknown, place: string, signal?: AbortSignal): unknown {
  if (error instanceof AbortedError) return error;
  if (signal?.aborted) return new AbortedError(error);
  // What writes whole files has put it into words of its own.
  const system = error instanceof SluiceError && error.code === 'file-unwritable' ? error.cause : error;
  if ((error instanceof SluiceError && system === error) || !(system instanceof Error)) return error;
  const text = system.message;
  const { code } = system as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' || /No space left|Disk quota|File too large|Could not write all bytes/i.test(text)) {
    return new ExportError(`There is no room left for the export in ${place}.`, { code: 'disk-full', cause: error, hint: 'Make room on the disk and run the same command again: it goes on from where it stopped.' });
  }
  if (/^Out of Memory Error/.test(text)) {
    return new ExportError('The engine had too little memory to write the rows.', { code: 'out-of-memory', cause: error, hint: 'Give it room in the folder for temporary files (`TMPDIR`), or export as ndjson, which needs next to none.' });
  }
  const reason = code !== undefined ? systemReason(system) : /Permission denied|Read-only file system|Not a directory/i.exec(text)?.[0];
  if (reason === undefined) return error;
  return new ExportError(`The export in ${place} cannot be written: ${reason}.`, { code: 'export-unwritable', cause: error, hint: 'Look whether you may write there, and run the same command again.' });
}
