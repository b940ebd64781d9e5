import type { PlatformApi, Listing } from '../../run/platform/api/platform-api.ts';
import type { SettingSources } from '../config/open-settings.ts';
import type { SyncedList, SyncRequest } from '../platform/sync.ts';
import type { Opened } from './open-library.ts';
import type { Token } from './options.ts';

/** The platform to call and its token. The configuration and the environment provide what the options leave out. */
export interface PlatformClientOptions {
  /** URL of the instance, such as `https://code.example.org`. */
  readonly url?: string | undefined;
  /** Access token, or a function that returns it. */
  readonly token?: Token | undefined;
  /** The folder to read the configuration from. Defaults to the current folder. */
  readonly workspace?: string | undefined;
  /** Environment variables. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A platform client with its own connections. */
export interface PlatformClient extends PlatformApi, AsyncDisposable {
  /** Aborts running calls, which then throw `AbortedError`, and closes the connections. The same as `await using`. */
  close(): Promise<void>;
}

/**
 * Creates a client for the platform's API. It needs no workspace; each call names its project. Sends nothing before the
 * first call, which throws `ConfigError` (`platform-not-configured`, `invalid-config`, `bad-address`, `plain-http`) or
 * `BackendError` `token-missing` if the client cannot be set up. For errors of the platform, see `PlatformApi`.
 *
 * ```ts
 * const api = platform({ url: 'https://code.example.org', token });
 * for await (const { title } of api.milestones.list({ id: 'acme/shop' })) console.log(title);
 * await api.close();
 * ```
 */
export function platform(options: PlatformClientOptions = {}): PlatformClient {
  const closing = new AbortController();
  let opening: ReturnType<typeof openAlone> | undefined;
  const open: OpenApi = async (own) => {
    if (closing.signal.aborted) throw await closed();
    opening ??= openAlone(options).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    const signal = own ? AbortSignal.any([closing.signal, own]) : closing.signal;
    return { api: (await opening).api, signal };
  };
  const close = async () => {
    closing.abort();
    await (await opening?.catch(() => undefined))?.http[Symbol.asyncDispose]();
  };
  return lateApi(open, { close, [Symbol.asyncDispose]: close });
}

/** The platform's operations for an open workspace, which closes the connections. */
export function platformOf(opened: Opened): PlatformApi {
  let opening: ReturnType<typeof openApi> | undefined;
  const open: OpenApi = (own) =>
    opened.run(async (ending) => {
      opening ??= openWithin(opened).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return { api: (await opening).api, signal: own ? AbortSignal.any([ending, own]) : ending };
    });
  return lateApi(open, {});
}

async function openWithin(opened: Opened) {
  const { settings, remote } = opened.workspace();
  const service = await openApi(settings, remote);
  opened.closeFirst(service.http);
  return service;
}

async function openAlone(options: PlatformClientOptions) {
  const [{ checkOptions }, { openSettings }, { givenToken }, { default: path }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../config/open-settings.ts'),
    import('./open-library.ts'),
    import('node:path'),
  ]);
  checkOptions('platform', options);
  const { url, token, workspace = '.', env = process.env } = options;
  const sources: SettingSources = {
    cwd: path.resolve(workspace),
    env,
    flags: { platform: { url } },
    tokens: { platform: givenToken(token) },
    nameOf: (name) => `platform({${name}})`,
  };
  const { settings, root } = await openSettings(sources);
  return openApi(settings, { env, root });
}

async function openApi(...given: Parameters<typeof import('../workspace/open-remote.ts').openPlatformService>) {
  const [{ openPlatformService }, { openPlatformApi }] = await Promise.all([
    import('../workspace/open-remote.ts'),
    import('../../run/platform/api/open-platform-api.ts'),
  ]);
  const service = await openPlatformService(...given);
  return { api: openPlatformApi(service), http: service.http };
}

async function closed() {
  return (await import('./open-library.ts')).closedError();
}

/** Options of `sync`. */
export interface SyncOptions extends Omit<SyncRequest, 'projects' | 'groups'> {
  /** IDs or full paths. Defaults to the configured project. */
  readonly projects?: readonly (string | number)[] | undefined;
  /** IDs or full paths. Defaults to the groups of the projects that are given by path. */
  readonly groups?: readonly (string | number)[] | undefined;
  /** Called with each list when it is stored or has failed. */
  readonly onList?: ((list: SyncedList) => void) | undefined;
  /** Aborts the call, which then throws `AbortedError`. Stored lists are kept. */
  readonly signal?: AbortSignal | undefined;
}

/** Syncs lists of the platform, and renews the session so that questions see their cubes. */
export function syncLists(opened: Opened, options: SyncOptions = {}): Promise<readonly SyncedList[]> {
  return opened.call('sync', options, async (signal) => {
    const { projects, groups, onList, signal: _, ...request } = options;
    const { syncWorkspace } = await import('../platform/sync.ts');
    const asked = { ...request, projects: projects?.map(String), groups: groups?.map(String) };
    const lists = await syncWorkspace(opened.workspace(undefined, signal), asked, { onList });
    await opened.renew(true);
    return lists;
  });
}

/** Opens the API on first use. Returns it with a signal that combines the call's own and `close`. */
export type OpenApi = (
  own: AbortSignal | undefined,
) => Promise<{ readonly api: PlatformApi; readonly signal: AbortSignal }>;

type Call = (given: unknown, options: object) => Made;
/** A promise, or a list that sends nothing until it is awaited or iterated. */
type Made = Promise<unknown> & Partial<Pick<Listing<unknown>, 'withResponse' | typeof Symbol.asyncIterator>>;

/**
 * A proxy for the platform's operations that loads them with the first call. Loading takes a while, and most programs
 * call none.
 */
function lateApi<Beside extends object>(open: OpenApi, beside: Beside): PlatformApi & Beside {
  const call =
    (resource: string, operation: string) => (given?: unknown, options?: { readonly signal?: AbortSignal }) =>
      lateCall(async () => {
        const { checkOptions } = await import('../workspace/check-options.ts');
        checkOptions('platformCall', options);
        const { api, signal } = await open(options?.signal);
        const found = await findCall(api, resource, operation);
        // Wrapped in an object, because an async function would await a bare promise.
        return { made: found(given, { ...options, signal }) };
      });
  return byName(beside, (resource) => byName({}, (operation) => call(resource, operation))) as PlatformApi & Beside;
}

function byName(beside: object, make: (name: string) => unknown): object {
  const made = new Map<string, unknown>();
  return new Proxy(beside, {
    get(target, name) {
      // Awaiting or printing the proxy reads these keys.
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON' || Object.hasOwn(target, name))
        return Reflect.get(target, name) as unknown;
      if (!made.has(name)) made.set(name, make(name));
      return made.get(name);
    },
  });
}

async function findCall(api: PlatformApi, resource: string, operation: string): Promise<Call> {
  const operations = api as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const found = Object.hasOwn(operations, resource) ? operations[resource] : undefined;
  if (found && Object.hasOwn(found, operation)) return found[operation] as Call;
  const { unknownOperation } = await import('../platform/unknown-operation.ts');
  throw unknownOperation(resource, operation);
}

function lateCall(begin: () => Promise<{ readonly made: Made }>): Made {
  // Operations that are not lists send their request now.
  const begun = begin();
  const told = async <T>(work: (made: Made) => PromiseLike<T>): Promise<T> => {
    try {
      return await work((await begun).made);
    } catch (error) {
      throw (await import('./option-wording.ts')).inCode(error);
    }
  };
  let awaited: Promise<unknown> | undefined;
  const wait = () => (awaited ??= told((made) => made));
  return {
    // biome-ignore lint/suspicious/noThenProperty: it stands for a promise that is not there yet.
    then: (done, failed) => wait().then(done, failed),
    catch: (failed) => wait().catch(failed),
    finally: (last) => wait().finally(last),
    withResponse: () => told((made) => made.withResponse!()) as ReturnType<Listing<unknown>['withResponse']>,
    async *[Symbol.asyncIterator]() {
      const items = (await told(async (made) => ({ made }))).made[Symbol.asyncIterator]!();
      try {
        for (let step = await told(() => items.next()); !step.done; step = await told(() => items.next()))
          yield step.value;
      } finally {
        await items.return?.();
      }
    },
    [Symbol.toStringTag]: 'PlatformCall',
  };
}
