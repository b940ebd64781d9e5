import type { Query } from '../../../src/ask/query/query.ts';
import type { BindContext } from '../../../src/plan/bind/bind-context.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import type { Backend, RemoteBackend, RunOptions } from '../../../src/run/backend.ts';
import { openCube } from '../../../src/run/cube/open-cube.ts';
import type { Credential } from '../../../src/run/http/credential.ts';
import { openHttp } from '../../../src/run/http/open-http.ts';
import { openPlatform } from '../../../src/run/platform/open-platform.ts';
import type { PlatformOptions } from '../../../src/run/platform/platform-options.ts';
import { collect } from '../../../src/shape/collect.ts';
import { planOf } from '../../plan/ask.ts';
import { type FakeClock, openFakeClock } from '../http/fake-clock.ts';
import { openScriptedServer, type Reply, type Script, type ScriptedServer } from '../http/scripted-server.ts';

export const count: Query = { measures: ['TrackedEvents.count'] };

export function remotePlan(query: Query, changes: Partial<BindContext> = {}): Plan {
  return planOf(query, builtInModel, { limits: 'remote', ...changes });
}

/** The platform's answer with these rows. */
export function answered(data: unknown, rest: Readonly<Record<string, unknown>> = {}): Reply {
  return {
    json: {
      queryType: 'regularQuery',
      results: [{ data, annotation: {}, total: null, slowQuery: null, strange: 1, ...rest }],
      pivotQuery: {},
      slowQuery: false,
    },
  };
}

export interface RemoteWorld extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly backend: RemoteBackend;
  readonly options: PlatformOptions;
}

export interface WorldOptions {
  readonly project?: string;
  readonly credential?: Credential;
  readonly waitBudgetMs?: number;
  readonly trace?: (line: string) => void;
}

export const token = 'glpat-abcdefghijklmnop1234';

/** A platform that answers by a script, and a backend for it, without retries. */
export function platformWorld(script: Script | Reply, options: WorldOptions = {}): Promise<RemoteWorld> {
  return openWorld(script, options, openPlatform);
}

export function cubeWorld(script: Script | Reply, options: WorldOptions = {}): Promise<RemoteWorld> {
  return openWorld(
    script,
    { credential: { kind: 'raw', token: () => 'header.payload.signature' }, ...options },
    openCube,
  );
}

async function openWorld(
  script: Script | Reply,
  { project = '42', credential = { kind: 'private-token', token: () => token }, waitBudgetMs, trace }: WorldOptions,
  open: (options: PlatformOptions) => Promise<RemoteBackend>,
): Promise<RemoteWorld> {
  const server = await openScriptedServer(typeof script === 'function' ? script : () => script);
  const clock = openFakeClock();
  const http = openHttp({ url: server.url, credential, clock, random: () => 0.5, retryBudgetMs: 0, trace });
  const options = { http, url: server.url, project, clock, waitBudgetMs };
  const backend = await open(options);
  return {
    server,
    clock,
    backend,
    options,
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The rows of an answer as lists of values, in the order of the plan's columns. */
export async function rowsOf(
  backend: Backend,
  plan: Plan,
  options?: RunOptions,
): Promise<readonly (readonly unknown[])[]> {
  const result = await collect(plan, await backend.run(plan, options), {
    queryHash: '',
    backend: backend.name,
    source: '',
  });
  return result.rows().map((row) => Object.values(row));
}

/** The error of a rejected promise. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string; readonly hint: string }> {
  try {
    await work;
  } catch (error) {
    return error as { readonly code: string; readonly message: string; readonly hint: string };
  }
  throw new Error('it did not fail');
}
