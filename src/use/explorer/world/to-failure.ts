import { SluiceError } from '../../../ask/sluice-error.ts';
import { toSystemError } from '../../../run/file/system-error.ts';
import { exitCodes } from '../../process/exit-code.ts';
import { exitCodeOf } from '../../process/report-error.ts';
import type { Failure } from '../state/state.ts';

/** Codes of errors after which the backend has to be opened again. */
const lostCodes = new Set(['engine-closed', 'engine-unavailable', 'file-vanished']);

/** An error as a cell shows it. What is no error of sluice's family is a bug, and says so. */
export function toFailure(thrown: unknown): Failure {
  const error = toSystemError(thrown) ?? thrown;
  if (error instanceof SluiceError) {
    return { message: error.message, hint: error.hint, lost: lostCodes.has(error.code) || exitCodeOf(error) === exitCodes.remote };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message: `This should not happen and is a bug in sluice: ${message}`, hint: 'Please report it, with what you typed.', lost: false };
}
