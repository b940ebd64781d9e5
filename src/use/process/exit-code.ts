import type { ErrorKind } from '../../ask/error-codes.ts';

/** Exit codes, with the same meaning in every command. */
export const exitCodes = {
  done: 0,
  /** Any other failure. */
  failed: 1,
  /** Wrong input, flags or configuration. */
  wrongInput: 2,
  authentication: 3,
  /** A remote service failed; the same command may work later. */
  remote: 4,
  /** The answer lacks some of the input; or there is none, because a data file is damaged. */
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
