import type { SettingSources } from '../config/open-settings.ts';
import type { Opened } from './opened.ts';
import type { Token } from './options.ts';
import { lateApi, type OpenApi } from './late-api.ts';
import type { PlatformApi } from '../../run/platform/api/platform-api.ts';

/** Which platform to call, and as whom. The configuration and the environment say what the options leave out. */
export interface PlatformClientOptions {
  /** The address, e.g. `https://code.example.org`. */
  readonly url?: string | undefined;
  /** The token, or a function that gives it. */
  readonly token?: Token | undefined;
  /** The folder whose configuration counts; the current one by default. */
  readonly workspace?: string | undefined;
  /** `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The platform's operations over connections of their own. */
export interface PlatformClient extends PlatformApi, AsyncDisposable {
  /** Ends what is going on, which then throws `AbortedError`, and closes the connections. The same as `await using`. */
  close(): Promise<void>;
}

/**
 * The operations of the platform, without events and without a project: each call names its own. Nothing is sent before
 * the first call, which throws `ConfigError` (`platform-not-configured`, `invalid-config`, `bad-address`,
 * `plain-http`) and `BackendError` `token-missing`; see `PlatformApi` for those of the platform.
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

/** The same of an opened workspace. Its connections are closed with it. */
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
    import('./opened.ts'),
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
  return (await import('./opened.ts')).closedError();
}
