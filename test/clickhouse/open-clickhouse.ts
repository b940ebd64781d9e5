import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import os from 'node:os';
import path from 'node:path';
import { installChdb } from '../../.config/chdb.ts';

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Whether tests start and stop this server themselves. */
  readonly own: boolean;
  /** Stops it at once, like a power cut. */
  kill(): Promise<void>;
  /** Restarts it at its address, over its data. */
  restart(): Promise<void>;
}

/** Why there is no server, or where its parts are. Determined once, since it may have to be installed. */
const found = ((): { readonly modules: string } | { readonly why: string } => {
  if (process.env['CLICKHOUSE_URL']) return { modules: '' };
  if (process.env['TEST_CHDB'] === 'none') return { why: 'TEST_CHDB is none' };
  try {
    return { modules: installChdb() };
  } catch (error) {
    return { why: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
})();

/** undefined if a server is available. Else the names of skipped tests include it. */
export const noClickHouse: string | undefined = 'why' in found ? found.why : undefined;

/** The name of a suite; if it is skipped, with the reason. */
export function onClickHouse(name: string): string {
  return noClickHouse === undefined ? name : `${name} (skipped, there is no ClickHouse: ${noClickHouse})`;
}

/** The server of CLICKHOUSE_URL, else its own server in a process that ends with this one. */
export async function openClickHouseServer(): Promise<TestServer> {
  const given = process.env['CLICKHOUSE_URL'];
  if (given) {
    const url = new URL(given);
    const [user, password] = [url.username || 'default', url.password];
    url.username = '';
    url.password = '';
    const cannot = () => Promise.reject(new Error('a server that was given is not stopped'));
    return {
      url: url.href,
      user,
      password,
      own: false,
      kill: cannot,
      restart: cannot,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  if (!('modules' in found)) throw new Error(found.why);
  const data = mkdtempSync(path.join(os.tmpdir(), 'sluice-clickhouse-'));
  let [server, port] = await start(found.modules, data, '0');
  const stop = async (signal: NodeJS.Signals | undefined) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (signal) server.kill(signal);
    else server.stdin?.end();
    await ended;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    user: 'default',
    password: 'secret',
    own: true,
    kill: () => stop('SIGKILL'),
    async restart() {
      await stop('SIGKILL');
      [server] = await start(found.modules, data, port);
    },
    async [Symbol.asyncDispose]() {
      await stop(undefined);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function start(modules: string, data: string, port: string): Promise<[ChildProcess, string]> {
  const script = path.join(import.meta.dirname, 'server.ts');
  const server = spawn(process.execPath, [script, modules, data, port], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout! })) return [server, line];
  throw new Error('the server did not start');
}
