import type { ErrorKind } from '../../ask/error-codes.ts';

/** What the exit status of a command means; the same in every command. */
export const exitCodes = {
  done: 0,
  /** Something failed that has no code of its own. */
  failed: 1,
  /** Wrong input, flags or configuration. */
  wrongInput: 2,
  authentication: 3,
  /** A remote could not answer; the same command may work later. */
  remote: 4,
  /** There is an answer, but some of the input is not in it; or a data file is damaged, and there is none. */
  partial: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a command that fails with an error of this kind. */
export const exitCodeOfKind: Readonly<Record<ErrorKind, ExitCode>> = {
  usage: exitCodes.wrongInput,
  input: exitCodes.wrongInput,
  authentication: exitCodes.authentication,
  remote: exitCodes.remote,
  partial: exitCodes.partial,
  system: exitCodes.failed,
  limit: exitCodes.failed,
  internal: exitCodes.failed,
  aborted: exitCodes.interrupted,
};
