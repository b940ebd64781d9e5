import { AbortedError } from '../../../ask/sluice-error.ts';
import { toBackendError } from './to-backend-error.ts';

/** An error over stored rows, for which no data file is to blame. */
export async function toStoredError(error: unknown, signal: AbortSignal | undefined): Promise<Error> {
  if (signal?.aborted && !(error instanceof AbortedError)) return new AbortedError(error);
  return toBackendError(error, { files: [], tables: [], hasEvents: true });
}
