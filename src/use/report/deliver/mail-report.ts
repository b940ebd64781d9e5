import { spawn } from 'node:child_process';
import { AbortedError, ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import type { EmailDelivery } from '../../../tell/delivery/delivery.ts';
import { withoutSecrets } from '../../config/read-environment.ts';
import { renderReport } from '../report-format.ts';
import { deliverFiles } from './deliver-files.ts';
import type { DeliveryWorld, Outgoing, Sent } from './outgoing.ts';

/** Long enough for a mailer that speaks with its server at once. */
const longestMs = 120_000;

/**
 * Writes a report as a letter, into a folder or to the configured mailer. Errors: `mailer-missing`, `mailer-failed`,
 * and those of writing files.
 */
export async function mailReport(
  { to, from, into }: EmailDelivery,
  outgoing: Outgoing,
  world: DeliveryWorld,
): Promise<Sent> {
  const envelope = { to, from, subject: outgoing.subject };
  if (into !== undefined) return deliverFiles(into, ['eml'], outgoing, world, envelope);
  if (world.mailer === undefined) {
    throw new ConfigError('No mailer is configured.', {
      code: 'mailer-missing',
      hint: 'Set a command in the configuration, such as `mailer: sendmail -t`, or a folder for emails: `into: outbox`.',
    });
  }
  const { main, missing } = await renderReport(outgoing.report, 'eml', { base: undefined, envelope });
  await pipeInto(world.mailer, main, world);
  return { formats: ['eml'], bytes: Buffer.byteLength(main), files: [], missing };
}

/**
 * Through the shell, as people write commands, and without the tokens of sluice and the platform. What it says on
 * stderr is the person's to see.
 */
function pipeInto(command: string, letter: string | Uint8Array, { root, env, signal }: DeliveryWorld): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (what: string, cause?: unknown) =>
    reject(
      signal.aborted
        ? new AbortedError(signal.reason)
        : new SluiceError(`The mailer ${what}.`, {
            code: 'mailer-failed',
            cause,
            hint: 'Run it by hand to see its output. It is set as mailer in the configuration.',
          }),
    );
  const child = spawn(command, {
    shell: true,
    cwd: root,
    env: withoutSecrets(env),
    stdio: ['pipe', 'ignore', 'inherit'],
    timeout: longestMs,
    signal,
  });
  // It may end without having read everything; its exit code tells.
  child.stdin.on('error', () => undefined);
  child.on('error', (cause) => fail('cannot be run', cause));
  child.on('close', (code, by) => {
    if (by !== null) fail(`was stopped (${by})`);
    else if (code === 0) resolve();
    else fail(`failed with exit code ${code}`);
  });
  child.stdin.end(letter);
  return promise;
}
