import { spawn } from 'node:child_process';
import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import { withoutSecrets } from '../../config/read-environment.ts';
import type { DeliveryWorld } from './outgoing.ts';

/** Time limit for a command, which may contact its server. */
const longestMs = 120_000;

export interface Piped {
  /** For people: `The mailer`. */
  readonly what: string;
  readonly code: SluiceErrorCode;
  /** Name of its setting. */
  readonly setting: string;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Runs the command in a shell, without the tokens of sluice and the platform. Its stderr is shown to the user. */
export function pipeInto(
  command: string,
  contents: string | Uint8Array,
  { root, env, signal }: DeliveryWorld,
  { what, code: errorCode, setting, variables = {} }: Piped,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (how: string, cause?: unknown) =>
    reject(
      signal.aborted
        ? new AbortedError(signal.reason)
        : new SluiceError(`${what} ${how}.`, {
            code: errorCode,
            cause,
            hint: `Run it by hand to see its output. It is set as ${setting} in the configuration.`,
          }),
    );
  const child = spawn(command, {
    shell: true,
    cwd: root,
    env: { ...withoutSecrets(env), ...variables },
    stdio: ['pipe', 'ignore', 'inherit'],
    timeout: longestMs,
    signal,
  });
  const began = performance.now();
  // The command may end without reading everything; its exit code decides.
  child.stdin.on('error', () => undefined);
  child.on('error', (cause) => fail('cannot be run', cause));
  child.on('close', (code, by) => {
    if (by !== null && performance.now() - began >= longestMs) fail(`was stopped after ${longestMs / 60_000} minutes`);
    else if (by !== null) fail(`was stopped (${by})`);
    else if (code === 0) resolve();
    else fail(`failed with exit code ${code}`);
  });
  child.stdin.end(contents);
  return promise;
}

/** True if a command succeeds. Hides its output, because failure is a valid answer. */
export function succeeds(
  command: string,
  { root, env, signal }: DeliveryWorld,
  variables: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const child = spawn(command, {
    shell: true,
    cwd: root,
    env: { ...withoutSecrets(env), ...variables },
    stdio: 'ignore',
    timeout: longestMs,
    signal,
  });
  child.on('error', () => (signal.aborted ? reject(new AbortedError(signal.reason)) : resolve(false)));
  child.on('close', (code) => resolve(code === 0));
  return promise;
}
