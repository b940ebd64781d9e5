import type { RejectedLines } from '../../run/backend.ts';
import { reachOf } from '../../run/backend.ts';
import type { ServedRequest } from '../server/listen.ts';
import type { Opened } from './opened.ts';

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
  /** Told of each request when it is over. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Told of what went wrong that no client is to blame for. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Told of lines of the source that no figure has. */
  readonly onRejected?: ((rejected: RejectedLines) => void) | undefined;
}

/** A server that runs until it is closed, or sluice is. */
export interface ServerHandle extends AsyncDisposable {
  /** `http://127.0.0.1:4000`, without a slash at its end. */
  readonly url: string;
  /** Answers the requests that are there, takes no new ones, and resolves when the server is closed. */
  close(): Promise<void>;
}

export function serveWorkspace(opened: Opened, options: ServeOptions = {}): Promise<ServerHandle> {
  return opened.call('serve', options, async () => {
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
    const server = await openServer({
      ...rest,
      session,
      port,
      concurrency,
      token: checkServeToken(token, 'The option `token`'),
      limits: { answerMs: timeLimit * 1_000 },
    }).catch(async (error: unknown) => {
      await session[Symbol.asyncDispose]();
      throw error;
    });
    session.prepare();
    const end = async (how: () => PromiseLike<void>) => {
      forget();
      await how();
      await session[Symbol.asyncDispose]();
    };
    const forget = opened.closeFirst({ [Symbol.asyncDispose]: () => end(() => server[Symbol.asyncDispose]()) });
    return {
      url: server.url,
      close: () => end(() => server.drain()),
      [Symbol.asyncDispose]: () => end(() => server[Symbol.asyncDispose]()),
    };
  });
}
