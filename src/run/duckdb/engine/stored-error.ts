import { AbortedError } from '../../../ask/sluice-error.ts';
import { toBackendError } from './to-backend-error.ts';

/** An error over rows that are stored already: whatever it is, no file of the data is to blame any more. */
export async function toStoredError(error: unknown, signal: AbortSignal | undefined): Promise<Error> {
  if (signal?.aborted && !(error instanceof AbortedError)) return new AbortedError(error);
  return toBackendError(error, { files: [], tables: [], hasEvents: true });
}
