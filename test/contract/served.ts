import type { OpenOptions } from '../../src/use/index.ts';
import { openWithSession, type SluiceWithSession } from '../use/open-session.ts';
import type { Session } from '../../src/use/workspace/session.ts';
import { openServer, type ServerOptions } from '../../src/use/server/open-server.ts';

export interface Served extends AsyncDisposable {
  readonly url: string;
  /** The embedded engine behind the server. */
  readonly local: SluiceWithSession;
}

/** Serves the embedded engine over some events on loopback, as a single project. */
export async function serve(options: OpenOptions, serving: Omit<ServerOptions, 'session'> = {}): Promise<Served> {
  const local = await openWithSession(options);
  const session: Session = {
    ...local.session,
    bind: (query, bound) => local.session.bind(query, { ...bound, project: undefined }),
  };
  const server = await openServer({ session, ...serving });
  return {
    url: server.url,
    local,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await local[Symbol.asyncDispose]();
    },
  };
}

export const remoteNames = ['platform', 'cube'] as const;

/** Options of a remote backend for a server. */
export function remoteOptions(backend: (typeof remoteNames)[number], url: string): OpenOptions {
  const env = {
    SLUICE_TOKEN: 'glpat-abcdefghijklmnop1234',
    SLUICE_CUBE_TOKEN: 'a.b.c',
    SLUICE_CUBE_URL: `${url}/cubejs-api/v1`,
  };
  return backend === 'platform' ? { backend, env, host: url, project: 42 } : { backend, env };
}

/** A remote backend over events that are served for it. Both close together. */
export async function openServed(
  backend: (typeof remoteNames)[number],
  options: OpenOptions,
): Promise<SluiceWithSession> {
  const served = await serve(options);
  const { workspace, now, timezone, weekStart } = options;
  const remote = await openWithSession({ ...remoteOptions(backend, served.url), workspace, now, timezone, weekStart });
  return {
    ...remote,
    async [Symbol.asyncDispose]() {
      await remote[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}
