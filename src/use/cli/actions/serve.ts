import path from 'node:path';
import { ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { type BackendName, reachOf } from '../../../run/backend.ts';
import { openEngine } from '../../../run/duckdb/engine/engine.ts';
import { readDefinition } from '../../../run/file/read-definition.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { reportError } from '../../process/report-error.ts';
import { checkServe, checkServeToken } from '../../server/serve-options.ts';
import type { RunningServer, ServedRequest } from '../../server/running-server.ts';
import { openServer } from '../../server/open-server.ts';
import { openFlaggedHooks } from './serve-hooks.ts';
import type { ServeFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace, openWorkspace } from '../command/open-workspace.ts';
import { tellRejected } from '../command/tell-rejected.ts';

/**
 * `sluice serve`: its address on stdout, the rest on stderr. The first signal to stop lets the requests that are there
 * be answered; a second one ends it at once.
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
  const token = await readToken(flags, effects);
  // A platform in the configuration is where this workspace asks; here it is the one that answers.
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
    `The platform's API is at ${server.url}/api/v4, Cube's at ${server.url}/cubejs-api/v1.${token === undefined ? '' : ' Clients must send the token.'}${hooks ? ` Webhooks are received at ${hooks.url}.` : ''} Press Ctrl-C to stop.`,
  );
  // Awaited here: what is opened above is closed when this function returns.
  return await untilStopped(hooks ? [server, hooks] : [server], effects.signal, voice.note);
}

function describe({ method, path: place, status, elapsedMs }: ServedRequest): string {
  return `${method} ${place.length > 200 ? `${place.slice(0, 200)}…` : place} ${status === 0 ? 'gone' : status} ${Math.round(elapsedMs)} ms`;
}

/** From a file or the environment: what stands on a command line is there for everyone to read. */
async function readToken({ tokenFile }: ServeFlags, { cwd, env }: Effects): Promise<string | undefined> {
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
