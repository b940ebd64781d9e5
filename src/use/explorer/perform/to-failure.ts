import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { SluiceError } from '../../../ask/sluice-error.ts';
import { toSystemError } from '../../../run/file/system-error.ts';
import type { Failure } from '../state/state.ts';
import { withKeys } from '../state/with-keys.ts';

/** Errors after which the backend must be reopened. */
const lostCodes: ReadonlySet<SluiceErrorCode> = new Set(['engine-closed', 'engine-unavailable', 'file-vanished']);

/** An error as a cell shows it. An error outside the SluiceError family is reported as a bug. */
export function toFailure(thrown: unknown): Failure {
  const error = toSystemError(thrown) ?? thrown;
  if (error instanceof SluiceError) {
    return {
      message: withKeys(error.message),
      hint: error.hint === undefined ? undefined : withKeys(error.hint),
      lost: lostCodes.has(error.code) || error.kind === 'remote',
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    message: `Internal error (a bug in sluice): ${message}`,
    hint: 'Please report it with the command that you ran.',
    lost: false,
  };
}
