import { SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { readMetaNames, requestMeta } from '../load/request-meta.ts';
import { type CubeOptions, toCubeService } from './open-cube.ts';

export interface CubeFindings {
  /** Names of the available cubes; undefined if they could not be fetched. */
  readonly cubes?: readonly string[] | undefined;
  /** Problems found. */
  readonly problems: readonly SluiceError[];
}

/** Tries a Cube deployment. Rejects only with `AbortedError` or because of a bug. The client stays open. */
export async function tryCube(options: CubeOptions, signal?: AbortSignal): Promise<CubeFindings> {
  try {
    return { cubes: readMetaNames(await requestMeta(toCubeService(options), { signal })), problems: [] };
  } catch (error) {
    throwIfAborted(signal);
    if (!(error instanceof SluiceError)) throw error;
    return { problems: [error] };
  }
}
