import { spawn } from 'node:child_process';
import { BackendError, SluiceError } from '../../ask/sluice-error.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { type Environment, withoutOwnSecrets } from './read-environment.ts';
import type { TokenSource } from './settings.ts';

export interface TokenPlace {
  readonly env: Environment;
  /** The folder in which a token command runs: the workspace. */
  readonly cwd: string;
  /** Where the command is configured. Defaults to `tokenCommand in the configuration`. */
  readonly setAs?: string | undefined;
}

/** Enough time to unlock a password manager. */
const longestMs = 60_000;

/**
 * Reads the token of a source and trims it. No message contains the token. Throws `token-unreadable` if the file or
 * command fails, `token-empty`, `token-malformed` if it has characters that headers cannot contain.
 */
export async function readToken(source: TokenSource, place: TokenPlace): Promise<string> {
  const text = await readText(source, place);
  const token = text.trim();
  const from = describeSource(source);
  if (token === '')
    throw new BackendError(`${from} is empty.`, {
      code: 'token-empty',
      hint: 'Store only the token there.',
    });
  if (/[^\x21-\x7e ]/.test(token))
    throw new BackendError(
      `${from} does not contain a valid token: it has line breaks or characters that tokens cannot have.`,
      {
        code: 'token-malformed',
        hint: 'Store only the token there.',
      },
    );
  return token;
}

/** Describes the source of a token for people. */
export function describeSource(source: TokenSource): string {
  if (source.kind === 'variable') return source.name;
  if (source.kind === 'given') return 'The option `token`';
  return source.kind === 'file' ? `The token file ${source.file}` : 'The token command';
}

async function readText(source: TokenSource, place: TokenPlace): Promise<string> {
  if (source.kind === 'variable') return place.env[source.name] ?? '';
  if (source.kind === 'given') return readGiven(source.read);
  if (source.kind === 'command') return run(source.command, place);
  return readDefinition(source.file, describeSource(source)).then(
    (bytes) => bytes.toString('utf8'),
    (cause: unknown) => {
      if (cause instanceof SluiceError) throw cause;
      throw new BackendError(`${describeSource(source)} cannot be read.`, {
        code: 'token-unreadable',
        cause,
        hint: 'Check that it exists and is readable.',
      });
    },
  );
}

/** Errors of the program's function become the cause. */
async function readGiven(read: () => string | Promise<string>): Promise<string> {
  let text: unknown;
  try {
    text = await read();
  } catch (cause) {
    throw new BackendError('The function `token` failed.', {
      code: 'token-unreadable',
      cause,
      hint: 'Return the token as text; the cause says what happened.',
    });
  }
  if (typeof text === 'string') return text;
  throw new BackendError('The function `token` gave no text.', {
    code: 'token-unreadable',
    hint: 'Return the token as text.',
  });
}

/**
 * Runs the command in a shell, without sluice's own secrets in its environment. The command prints the token on stdout;
 * its stderr goes to the terminal.
 */
function run(command: string, { env, cwd, setAs = 'tokenCommand in the configuration' }: TokenPlace): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (what: string, cause?: unknown) =>
    reject(
      new BackendError(`The token command ${what}.`, {
        code: 'token-unreadable',
        cause,
        hint: `Run it by hand to see its output. It is set as ${setAs}.`,
      }),
    );
  const child = spawn(command, {
    shell: true,
    cwd,
    env: withoutOwnSecrets(env),
    stdio: ['inherit', 'pipe', 'inherit'],
    timeout: longestMs,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('error', (cause) => fail('cannot be run', cause));
  child.on('close', (code, signal) => {
    if (signal !== null) fail(`was still running after ${longestMs / 1000} seconds`);
    else if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
    else fail(`failed with exit code ${code}`);
  });
  return promise;
}
