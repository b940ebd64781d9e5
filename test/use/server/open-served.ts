import { afterAll, beforeAll } from 'vitest';
import type { OpenOptions } from '../../../src/use/index.ts';
import { openWithSession, type SluiceWithSession } from '../open-session.ts';
import type { RunningServer } from '../../../src/use/server/running-server.ts';
import { openServer, type ServerOptions } from '../../../src/use/server/open-server.ts';
import type { Session } from '../../../src/use/workspace/session.ts';
import { now, openFolder } from '../run-in-folder.ts';

/** A response as a client sees it. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: any;
}

export interface Served {
  readonly session: Session;
  readonly sluice: SluiceWithSession;
  readonly server: RunningServer;
  /** Sends a request to the server; a body that is not text goes as JSON. */
  ask(path: string, init?: Omit<RequestInit, 'body'> & { readonly body?: unknown }): Promise<Heard>;
}

export type ServedOptions = Omit<ServerOptions, 'session'> & { readonly open?: OpenOptions };

/** A server over event files, for all tests of a suite. */
export function servedOnce(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: ServedOptions = {},
): () => Served {
  let served: Served | undefined;
  const folder = openFolder(files);
  beforeAll(async () => {
    const sluice = await openWithSession({
      workspace: folder.root,
      env: {},
      events: Object.keys(files),
      now: () => now,
      ...options.open,
    });
    const server = await openServer({ session: sluice.session, ...options });
    served = { session: sluice.session, sluice, server, ask: (path, init = {}) => ask(server.url + path, init) };
  });
  afterAll(async () => {
    await served?.server[Symbol.asyncDispose]();
    await served?.sluice[Symbol.asyncDispose]();
    folder.remove();
  });
  return () => served!;
}

export async function ask(
  url: string,
  { body, ...init }: Omit<RequestInit, 'body'> & { readonly body?: unknown } = {},
): Promise<Heard> {
  const response = await fetch(url, {
    ...init,
    ...(body !== undefined && {
      method: init.method ?? 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...init.headers },
    }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  };
}
