import { toAborted } from '../../../ask/sluice-error.ts';
import { toBackendError } from './to-backend-error.ts';

/** An error over stored rows, for which no data file is to blame. */
export async function toStoredError(error: unknown, signal: AbortSignal | undefined): Promise<Error> {
  return toBackendError(toAborted(error, signal), { files: [], tables: [], hasEvents: true });
}
