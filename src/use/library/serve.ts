import { type RejectedLines, reachOf } from '../../run/backend.ts';
import type { RunningServer, ServedRequest } from '../server/running-server.ts';
import type { HookListenerOptions } from '../server/hooks/hook-options.ts';
import type { Opened } from './open-library.ts';
import type { Token } from './options.ts';

/** How to serve the platform's and Cube's HTTP APIs. */
export interface ServeOptions {
  /** 0, or left out: a free port. */
  readonly port?: number | undefined;
  /** The address to listen on; `127.0.0.1` by default. Others require a token. */
  readonly host?: string | undefined;
  /** What every client must send, at least 8 characters. */
  readonly token?: string | undefined;
  /** Origins whose pages may ask: `http://localhost:5173`. */
  readonly cors?: readonly string[] | undefined;
  /** Requests that are answered at once; 4 by default. */
  readonly concurrency?: number | undefined;
  /** Requests that may wait for their turn; 256 by default. */
  readonly queue?: number | undefined;
  /** Seconds for the work on an answer; 90 by default, 0 for no limit. */
  readonly timeLimit?: number | undefined;
  /** First polls of each different request that are answered with `Continue wait`; 0 by default. */
  readonly continueWait?: number | undefined;
  /**
   * Also receives the platform's webhooks, on a listener of its own, and keeps each delivery in `.sluice/hooks` of the
   * workspace.
   */
  readonly hooks?: HookOptions | undefined;
  /** Told of each request when it is over. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Told of what went wrong that no client is to blame for. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Told of lines of the source that no figure has. */
  readonly onRejected?: ((rejected: RejectedLines) => void) | undefined;
}

/** How to receive webhooks. `token`, `signingSecret` or both are required; each may be a function that gives it. */
export interface HookOptions extends Omit<HookListenerOptions, 'token' | 'signingSecret'> {
  /** The secret token of the webhook, at least 8 characters (`X-Gitlab-Token`, `X-Service-Token`). */
  readonly token?: Token | undefined;
  /** The signing secret of the webhook (Standard Webhooks): `whsec_` and base64. */
  readonly signingSecret?: Token | undefined;
  /** Serves no queries: `url` of the handle is the address for webhooks. */
  readonly only?: boolean | undefined;
}

/** A server that runs until it is closed, or sluice is. */
export interface ServerHandle extends AsyncDisposable {
  /** `http://127.0.0.1:4000`, without a slash at its end. */
  readonly url: string;
  /** The address for webhooks, `http://127.0.0.1:4001/hooks`; undefined without `hooks`. */
  readonly hooksUrl: string | undefined;
  /** Answers the requests that are there, takes no new ones, and resolves when the server is closed. Throws nothing. */
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

/** A server with a session, which is closed with it. */
async function openQueries(opened: Opened, options: Omit<ServeOptions, 'hooks'>): Promise<RunningServer> {
  const [{ openServer }, { checkServe, checkServeToken }] = await Promise.all([
    import('../server/open-server.ts'),
    import('../server/serve-options.ts'),
  ]);
  const { port = 0, concurrency = 4, timeLimit = 90, token, ...rest } = options;
  checkServe({ port, concurrency, timeLimit, cors: options.cors });
  const shared = opened.workspace();
  const isLocal = reachOf(shared.settings.backend.value) === 'local';
  // A platform in the configuration is where this workspace asks; here it is the one that answers.
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
