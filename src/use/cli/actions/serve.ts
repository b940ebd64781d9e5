import path from 'node:path';
import { ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { type BackendName, reachOf } from '../../../run/backend.ts';
import { openEngine } from '../../../run/duckdb/engine/engine.ts';
import { readDefinition } from '../../../run/file/read-definition.ts';
import { readToken } from '../../config/read-token.ts';
import { findToken, type TokenSource } from '../../config/settings.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { reportError } from '../../process/report-error.ts';
import { hookFolder, openHooks } from '../../server/hooks/open-hooks.ts';
import { openServer } from '../../server/open-server.ts';
import type { RunningServer, ServedRequest } from '../../server/running-server.ts';
import { checkServe, checkServeToken } from '../../server/serve-options.ts';
import type { ServeFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, tellRejected } from '../command/reporter.ts';
import { openCommandWorkspace, openWorkspace } from '../command/open-workspace.ts';

/**
 * `sluice serve`: prints its address on stdout, the rest on stderr. The first signal stops the server after its current
 * requests; a second one ends it at once.
 */
export async function runServe({ flags, effects }: Invocation<ServeFlags>): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  checkServe(flags);
  if (flags.backend !== undefined && reachOf(flags.backend as BackendName) === 'remote') {
    throw new ConfigError(`\`serve\` uses the embedded engine, not the backend "${flags.backend}".`, {
      code: 'backend-not-served',
      hint: 'Remove `--backend`, and specify events with `--events`.',
    });
  }
  if (flags.hooksOnly) {
    const { root } = await openCommandWorkspace(flags, effects);
    await using hooks = await openFlaggedHooks(flags, effects, root);
    await effects.stdout.write(`${hooks?.url}\n`);
    await voice.note(`Webhooks are received at ${hooks?.url}. Press Ctrl-C to stop.`);
    return await untilStopped(hooks ? [hooks] : [], effects.signal, voice.note);
  }
  const token = await readServeToken(flags, effects);
  // A platform in the configuration is for asking; `serve` answers with its own engine.
  const engine = flags.memoryLimit === undefined ? undefined : openEngine({ memoryLimit: flags.memoryLimit });
  const { session, root } = await openWorkspace({ ...flags, backend: flags.backend ?? 'embedded' }, effects, {
    engine,
  }).catch(async (error: unknown) => {
    await (await engine?.catch(() => undefined))?.[Symbol.asyncDispose]();
    throw error;
  });
  await using _closed = session;
  let told = 0;
  await using server = await openServer({
    session,
    token,
    host: flags.bind,
    port: flags.port,
    cors: flags.cors,
    continueWait: flags.continueWait,
    concurrency: flags.concurrency,
    queue: flags.queue,
    limits: { answerMs: flags.timeLimit * 1_000 },
    onRequest: flags.verbose ? (request) => void voice.detail(describe(request)) : undefined,
    onFault: (error) => void reportError(error, effects),
    onRejected: (rejected) => {
      if (rejected.count <= told) return;
      told = rejected.count;
      void tellRejected(rejected, voice, effects.cwd, '');
    },
  });
  await using hooks = await openFlaggedHooks(flags, effects, root);
  session.prepare();
  await effects.stdout.write(`${server.url}\n${hooks ? `${hooks.url}\n` : ''}`);
  await voice.note(
    `The platform's API is at ${server.url}/api/v4, Cube's at ${server.url}/cubejs-api/v1.` +
      (token === undefined ? '' : ' Clients must send the token.') +
      `${hooks ? ` Webhooks are received at ${hooks.url}.` : ''} Press Ctrl-C to stop.`,
  );
  // Await here: resources opened above close when this function returns.
  return await untilStopped(hooks ? [server, hooks] : [server], effects.signal, voice.note);
}

function describe({ method, path: place, status, elapsedMs }: ServedRequest): string {
  return `${method} ${place.length > 200 ? `${place.slice(0, 200)}…` : place} ${status === 0 ? 'gone' : status} ${Math.round(elapsedMs)} ms`;
}

/** Read from a file or the environment, because command lines are public. */
async function readServeToken({ tokenFile }: ServeFlags, { cwd, env }: Effects): Promise<string | undefined> {
  const source = tokenFile === undefined ? 'SLUICE_SERVE_TOKEN' : tokenFile;
  const text =
    tokenFile === undefined
      ? env['SLUICE_SERVE_TOKEN'] || undefined
      : await readDefinition(path.resolve(cwd, tokenFile), tokenFile).then(
          (bytes) => bytes.toString('utf8'),
          (cause: unknown) => {
            if (cause instanceof SluiceError) throw cause;
            throw new ConfigError(`The token file ${quote(tokenFile)} cannot be read.`, {
              code: 'token-not-readable',
              hint: 'Specify a readable file that contains only the token.',
              cause,
            });
          },
        );
  return checkServeToken(text, source);
}

async function untilStopped(
  servers: readonly RunningServer[],
  interrupted: AbortSignal,
  note: (text: string) => Promise<void>,
): Promise<ExitCode> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  interrupted.addEventListener('abort', () => stop(), { once: true });
  if (interrupted.aborted) stop();
  await stopped;
  await note('Stopping: running requests are completed, new ones are refused.');
  await Promise.all(servers.map((server) => server.drain()));
  return exitCodes.done;
}

const defaultAddress = '127.0.0.1:4001';

/** The webhook listener that the flags request; undefined without such flags. Errors: as `openHooks`, `readToken`. */
async function openFlaggedHooks(
  flags: ServeFlags & GlobalFlags,
  effects: Effects,
  root: string,
): Promise<RunningServer | undefined> {
  if (!Object.keys(flags).some((flag) => flag.startsWith('hooks'))) return undefined;
  const voice = toReporter(flags, effects);
  const { hooksTokenFile, hooksTokenCommand, hooksSecretFile, hooksSecretCommand } = flags;
  const read = (kind: 'token' | 'secret', file: string | undefined, command: string | undefined) =>
    readHookSecret(kind, { file, command }, effects, root);
  return openHooks(
    {
      ...readAddress(typeof flags.hooks === 'string' ? flags.hooks : defaultAddress),
      token: await read('token', hooksTokenFile, hooksTokenCommand),
      signingSecret: await read('secret', hooksSecretFile, hooksSecretCommand),
      bodyLimit: flags.hooksBodyLimit,
      tolerance: flags.hooksTolerance,
      onDelivery: flags.verbose
        ? ({ id, event, isRepeated }) =>
            void voice.detail(`Webhook ${quote(id)}, ${quote(event ?? 'no event')}${isRepeated ? ', sent again' : ''}`)
        : undefined,
    },
    {
      folder: hookFolder(root),
      now: effects.now,
      onRequest: flags.verbose
        ? ({ method, status }) => {
            if (status >= 300) void voice.detail(`${method} of a webhook refused: ${status}`);
          }
        : undefined,
      onFault: (error) => void reportError(error, effects),
    },
  );
}

/** `4001`, `0.0.0.0:4001`, `[::1]:4001`. */
function readAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port !== undefined) return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
  throw new ConfigError(`\`--hooks\` must be a port or an address and a port, not ${quote(text)}.`, {
    code: 'not-a-listener',
    hint: `Use e.g. 4001, ${defaultAddress} or [::1]:4001.`,
  });
}

/** Read from a file, a command or the environment, in this order, because command lines are public. */
async function readHookSecret(
  kind: 'token' | 'secret',
  { file, command }: { readonly file: string | undefined; readonly command: string | undefined },
  { cwd, env }: Effects,
  root: string,
): Promise<string | undefined> {
  if (file !== undefined && command !== undefined)
    throw new ConfigError(`--hooks-${kind}-file and --hooks-${kind}-command cannot be used together.`, {
      code: 'not-a-listener',
      hint: 'Remove one of them.',
    });
  const source: TokenSource | undefined =
    file !== undefined
      ? { kind: 'file', file: path.resolve(cwd, file) }
      : command !== undefined
        ? { kind: 'command', command }
        : findToken(env, [kind === 'token' ? 'SLUICE_HOOKS_TOKEN' : 'SLUICE_HOOKS_SECRET'])?.value;
  return source && readToken(source, { env, cwd: root, setAs: `--hooks-${kind}-command` });
}
