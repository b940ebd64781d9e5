import { BackendError, ConfigError } from '../../ask/sluice-error.ts';
import { minute } from '../../ask/time/granularity.ts';
import type { RemoteBackend } from '../../run/backend.ts';
import type { CubeOptions } from '../../run/cube/open-cube.ts';
import type { Clock } from '../../run/http/clock.ts';
import type { Credential } from '../../run/http/credential.ts';
import type { RetryNotice } from '../../run/http/retry-notice.ts';
import type { ApiService } from '../../run/platform/api/open-platform-api.ts';
import type { CaptchaAnswer, PlatformOptions } from '../../run/platform/platform-options.ts';
import { readToken } from '../config/read-token.ts';
import { readWait } from '../config/read-wait.ts';
import type { Settings, TokenSource } from '../config/settings.ts';
import type { Download } from '../../run/duckdb/reading/find-files.ts';
import { findProxy, type DownloadSurroundings } from './open-download.ts';
import { version } from './version.ts';

/** Dependencies of a remote backend. Tokens are also read from `env`. */
export interface RemoteSurroundings extends DownloadSurroundings {
  /** Absolute path of the workspace: token commands run here, and models of servers are cached here. */
  readonly root: string;
  /** Called when a request is delayed, for example by retries. */
  readonly onHoldup?: ((holdup: RetryNotice) => void) | undefined;
  /**
   * How long to retry a request, in milliseconds. Defaults to one minute, or to the configured timeout if that is
   * shorter.
   */
  readonly retryBudgetMs?: number | undefined;
  /** Downloads that other parts of a session share. */
  readonly download?: Download | undefined;
  /** Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Opens the configured platform or Cube deployment. Sends nothing yet. Throws as `platformOptions` and `cubeOptions`.
 */
export async function openRemote(settings: Settings, surroundings: RemoteSurroundings): Promise<RemoteBackend> {
  if (settings.backend.value === 'platform') {
    const { openPlatform } = await import('../../run/platform/open-platform.ts');
    return openPlatform(await platformOptions(settings, surroundings));
  }
  const { openCube } = await import('../../run/cube/open-cube.ts');
  return openCube(await cubeOptions(settings, surroundings));
}

/**
 * Builds the options of `openPlatform` and `tryPlatform`. Throws `platform-not-configured`, `token-missing`, and errors
 * of invalid URLs.
 */
export async function platformOptions(settings: Settings, surroundings: RemoteSurroundings): Promise<PlatformOptions> {
  const { platformProject } = settings;
  const address = platformAddress(settings);
  if (platformProject.value === undefined)
    throw missing('platform', 'The project to ask', 'Set `platform: {project: 42}`, SLUICE_PROJECT, or --project.');
  const credential = await platformCredential(address, settings, surroundings);
  const { http, url, clock, waitBudgetMs } = await connect(address, credential, settings, surroundings);
  return {
    http,
    url,
    clock,
    waitBudgetMs,
    project: platformProject.value,
    captcha: readCaptchaAnswer(surroundings.env),
  };
}

/**
 * Opens a service for the platform's operations, which name their own projects. Closing its client closes it. Throws as
 * `platformOptions`.
 */
export async function openPlatformService(settings: Settings, surroundings: RemoteSurroundings): Promise<ApiService> {
  const address = platformAddress(settings);
  const credential = await platformCredential(address, settings, surroundings);
  const { http, clock, base } = await connect(address, credential, settings, surroundings);
  const { env, trace } = surroundings;
  const random = Math.random;
  return {
    http,
    clock,
    random,
    download: {
      base,
      credential,
      clock,
      random,
      proxyOf: (url) => findProxy(url, env),
      userAgent: `sluice/${version}`,
      trace,
    },
  };
}

/** The URL of the platform. Throws `platform-not-configured`. */
export function platformAddress({ platformUrl }: Settings): string {
  if (platformUrl.value !== undefined) return platformUrl.value;
  throw missing(
    'platform',
    'The URL of the platform',
    'Set `platform: {url: https://code.example.org, project: 42}`, SLUICE_HOST, or --host.',
  );
}

async function platformCredential(
  address: string,
  { token, tokenHeader }: Settings,
  surroundings: RemoteSurroundings,
): Promise<Credential> {
  const source = token.value;
  if (!source)
    throw noToken(
      address,
      'Set SLUICE_TOKEN or GITLAB_TOKEN, or specify a file or command: ' +
        'platform.tokenFile, platform.tokenCommand. The token needs the scope `read_api`.',
    );
  const read = once(source, surroundings);
  const kind = tokenHeader.value ?? (isOAuth(await read()) ? 'bearer' : 'private-token');
  return { kind, token: read };
}

/** Returns undefined if no CAPTCHA answer is set. */
function readCaptchaAnswer(env: RemoteSurroundings['env']): CaptchaAnswer | undefined {
  const response = env['SLUICE_CAPTCHA_RESPONSE'] ?? '';
  const spamLogId = env['SLUICE_SPAM_LOG_ID'] ?? '';
  if (response === '' && spamLogId === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(response) && /^\d+$/.test(spamLogId)) return { response, spamLogId };
  throw new ConfigError('The answer to a CAPTCHA is not complete or not valid.', {
    code: 'captcha-answer-invalid',
    hint:
      'Set both SLUICE_CAPTCHA_RESPONSE (the text that the solved CAPTCHA gives) ' +
      'and SLUICE_SPAM_LOG_ID (a number), or neither.',
  });
}

/** Builds the options of `openCube` and `tryCube`. Throws `cube-not-configured`, and errors of invalid URLs. */
export async function cubeOptions(settings: Settings, surroundings: RemoteSurroundings): Promise<CubeOptions> {
  const { cubeUrl, cubeToken } = settings;
  if (cubeUrl.value === undefined)
    throw missing(
      'cube',
      'The URL of the Cube API',
      'Set `cube: {url: https://cube.example.org/cubejs-api/v1}`, or SLUICE_CUBE_URL.',
    );
  const source = cubeToken.value;
  // Cube needs no token in development mode.
  if (!source) return connect(cubeUrl.value, undefined, settings, surroundings);
  const { toCubeCredential } = await import('../../run/cube/cube-credential.ts');
  const { clock } = await surroundingsClock(surroundings);
  const isSecret = source.kind === 'variable' && source.name === cubeSecretVariable;
  return connect(
    cubeUrl.value,
    toCubeCredential({ kind: isSecret ? 'secret' : 'token', read: once(source, surroundings) }, clock.now),
    settings,
    surroundings,
  );
}

/** The variable with the API secret of a deployment, which signs tokens. */
const cubeSecretVariable = 'SLUICE_CUBE_SECRET';

/** Maximum time to retry a request, unless the configured timeout is shorter. */
const longestRetries = minute;

async function connect(
  url: string,
  credential: Credential | undefined,
  { wait, allowHttp }: Settings,
  surroundings: RemoteSurroundings,
) {
  const [{ openHttp }, { demandPrivateWay, readBaseAddress }, { clock }] = await Promise.all([
    import('../../run/http/open-http.ts'),
    import('../../run/http/address.ts'),
    surroundingsClock(surroundings),
  ]);
  const base = readBaseAddress(url);
  if (credential && !allowHttp.value) demandPrivateWay(base, 'The token');
  const { trace, onHoldup, env } = surroundings;
  const waitBudgetMs = wait.value === undefined ? undefined : readWait(wait.value);
  const retryBudgetMs = surroundings.retryBudgetMs ?? Math.min(longestRetries, waitBudgetMs ?? Infinity);
  const http = openHttp({
    url,
    credential,
    clock,
    random: Math.random,
    trace,
    onHoldup,
    retryBudgetMs,
    userAgent: `sluice/${version}`,
    proxy: findProxy(url, env),
  });
  return { http, url, base, clock, waitBudgetMs };
}

async function surroundingsClock({ clock }: RemoteSurroundings): Promise<{ readonly clock: Clock }> {
  return {
    clock: clock ?? (await import('../process/system-clock.ts')).systemClock,
  };
}

/** Reads a token on first use, once, because a token command may prompt the user. Tries again after a failure. */
function once(source: TokenSource, { env, root }: RemoteSurroundings): () => Promise<string> {
  // Programs refresh their tokens themselves.
  if (source.kind === 'given') return () => readToken(source, { env, cwd: root });
  let reading: Promise<string> | undefined;
  return () => {
    reading ??= readToken(source, { env, cwd: root }).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** OAuth tokens have 64 hexadecimal digits and are only accepted in the `Authorization` header. */
function isOAuth(token: string): boolean {
  return /^[0-9a-f]{64}$/.test(token);
}

function missing(backend: 'platform' | 'cube', what: string, hint: string): ConfigError {
  return new ConfigError(`${what} is not configured.`, { code: `${backend}-not-configured`, hint });
}

function noToken(url: string, hint: string): BackendError {
  return new BackendError(`There is no token for ${URL.canParse(url) ? new URL(url).host : url}.`, {
    code: 'token-missing',
    hint,
  });
}
