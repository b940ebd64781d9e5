import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import { toWriteFault } from '../../file/system-error.ts';

/** An export failed. Committed windows are kept. */
export class ExportError extends SluiceError {
  /** The name of the class. */
  override readonly name = 'ExportError';
}

/**
 * Converts an error to an `ExportError` with a message. Committed windows are kept. Codes: `disk-full`,
 * `export-unwritable`, `out-of-memory`, `AbortedError`.
 */
export function toExportError(error: unknown, place: string, signal?: AbortSignal): unknown {
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
      return new ExportError(`The disk is full, or has no free inodes. The export in ${place} stopped.`, {
        code: 'disk-full',
        cause: error,
        hint: 'Free disk space and run the same command again to resume.',
      });
    case 'out-of-memory':
      return new ExportError('The engine ran out of memory while writing the rows.', {
        code: 'out-of-memory',
        cause: error,
        hint:
          'Free space in the folder for temporary files (`TMPDIR`), or export as ndjson, ' +
          'which needs little memory.',
      });
    case 'refused':
      return new ExportError(`The export in ${place} cannot be written: ${fault.reason}.`, {
        code: 'export-unwritable',
        cause: error,
        hint: 'Check the permissions, and run the same command again.',
      });
  }
}
