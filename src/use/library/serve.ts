import { type RejectedLines, reachOf } from '../../run/backend.ts';
import type { RunningServer, ServedRequest } from '../server/running-server.ts';
import type { HookListenerOptions } from '../server/hooks/hook-options.ts';
import type { Opened } from './open-library.ts';
import type { Token } from './options.ts';

/** Options of `serve`. */
export interface ServeOptions {
  /** Port to listen on. Defaults to 0, a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Defaults to `127.0.0.1`. Addresses that other machines can reach require a token. */
  readonly host?: string | undefined;
  /** Token that every client must send, at least 8 characters. */
  readonly token?: string | undefined;
  /** Origins that may send requests from a browser (CORS): `http://localhost:5173`. */
  readonly cors?: readonly string[] | undefined;
  /** Number of requests to answer in parallel. Defaults to 4. */
  readonly concurrency?: number | undefined;
  /** Maximum number of queued requests. Defaults to 256. */
  readonly queue?: number | undefined;
  /** Timeout for an answer in seconds. Defaults to 90; 0 means no limit. */
  readonly timeLimit?: number | undefined;
  /** Number of polls of each distinct request that get `Continue wait`. Defaults to 0. */
  readonly continueWait?: number | undefined;
  /**
   * Also receives webhooks of the platform on a second port, and keeps each delivery in `.sluice/hooks` of the
   * workspace.
   */
  readonly hooks?: HookOptions | undefined;
  /** Called after each request. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Called with errors that no client caused. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Called with lines of the event files that could not be read and are not counted. */
  readonly onRejected?: ((rejected: RejectedLines) => void) | undefined;
}

/**
 * Options for receiving webhooks. `token`, `signingSecret` or both are required; each may be a function that returns
 * it.
 */
export interface HookOptions extends Omit<HookListenerOptions, 'token' | 'signingSecret'> {
  /** The secret token of the webhook, at least 8 characters (`X-Gitlab-Token`, `X-Service-Token`). */
  readonly token?: Token | undefined;
  /** The signing secret of the webhook (Standard Webhooks): `whsec_` and base64. */
  readonly signingSecret?: Token | undefined;
  /** Only receives webhooks and serves no queries. `url` of the handle is then the address for webhooks. */
  readonly only?: boolean | undefined;
}

/** A running server. It stops when the handle or sluice is closed. */
export interface ServerHandle extends AsyncDisposable {
  /** URL without a trailing slash: `http://127.0.0.1:4000`. */
  readonly url: string;
  /** URL for webhooks, `http://127.0.0.1:4001/hooks`; undefined without `hooks`. */
  readonly hooksUrl: string | undefined;
  /** Accepts no new requests, answers the current ones, then closes the server. Never throws. */
  close(): Promise<void>;
}

export function serveWorkspace(opened: Opened, options: ServeOptions = {}): Promise<ServerHandle> {
  return opened.call('serve', options, async () => {
    const { hooks, ...queries } = options;
    const server = hooks?.only ? undefined : await openQueries(opened, queries);
    const listener = await (hooks && openListener(opened, hooks, options.onFault))?.catch(async (error: unknown) => {
      await server?.[Symbol.asyncDispose]();
      throw error;
    });
    const running = [server, listener].filter((each) => each !== undefined);
    const end = async (how: (each: RunningServer) => PromiseLike<void>) => {
      forget();
      await Promise.all(running.map(how));
    };
    const cut = () => end((each) => each[Symbol.asyncDispose]());
    const forget = opened.closeFirst({ [Symbol.asyncDispose]: cut });
    return {
      url: (server ?? listener)?.url ?? '',
      hooksUrl: listener?.url,
      close: () => end((each) => each.drain()),
      [Symbol.asyncDispose]: cut,
    };
  });
}

/** Opens a server and its session, which are closed together. */
async function openQueries(opened: Opened, options: Omit<ServeOptions, 'hooks'>): Promise<RunningServer> {
  const [{ openServer }, { checkServe, checkServeToken }] = await Promise.all([
    import('../server/open-server.ts'),
    import('../server/serve-options.ts'),
  ]);
  const { port = 0, concurrency = 4, timeLimit = 90, token, ...rest } = options;
  checkServe({ port, concurrency, timeLimit, cors: options.cors });
  const shared = opened.workspace();
  const isLocal = reachOf(shared.settings.backend.value) === 'local';
  // If the configuration names a platform, serve local events in its place.
  const session = await (isLocal ? shared : await shared.reopen({ backend: 'embedded' })).openSession();
  const close = () => session[Symbol.asyncDispose]();
  const server = await openServer({
    ...rest,
    session,
    port,
    concurrency,
    token: checkServeToken(token, 'The option `token`'),
    limits: { answerMs: timeLimit * 1_000 },
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  session.prepare();
  return {
    url: server.url,
    drain: () => server.drain().then(close),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]().then(close),
  };
}

async function openListener(
  opened: Opened,
  { only: _only, token, signingSecret, ...rest }: HookOptions,
  onFault: (error: unknown) => void = () => undefined,
): Promise<RunningServer> {
  const { hookFolder, openHooks } = await import('../server/hooks/open-hooks.ts');
  const { root, clock } = opened.workspace();
  return openHooks(
    { ...rest, token: await given(token), signingSecret: await given(signingSecret) },
    { folder: hookFolder(root), now: clock, onFault },
  );
}

async function given(token: Token | undefined): Promise<string | undefined> {
  return typeof token === 'function' ? token() : token;
}
