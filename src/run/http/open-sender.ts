import type { Agent, Dispatcher } from 'undici';
import { ConfigError, throwIfAborted } from '../../ask/sluice-error.ts';
import { type Proxy, showAddress } from './address.ts';
import type { Clock } from './clock.ts';
import { type Credential, readCredential } from './credential.ts';
import type { HttpRequest } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { acceptedEncodings } from './read-body.ts';
import type { Redactor } from './redact.ts';
import { type Hop, isRedirect, nextHop } from './redirect.ts';
import { type Failed, type Received, sendOnce } from './send-once.ts';
import { showDuration } from './retry-notice.ts';
import type { Throttle } from './throttle.ts';

interface SenderOptions extends DispatcherOptions {
  readonly origin: string;
  readonly credential?: Credential | undefined;
  readonly clock: Clock;
  readonly bodyTimeoutMs: number;
  readonly userAgent?: string | undefined;
  readonly trace: (line: string) => void;
}

/** Sends one try of a request and follows its redirects. */
interface Sender extends AsyncDisposable {
  send(request: HttpRequest, start: Hop, attempt: number, signal: AbortSignal): Promise<Ending>;
}

/** Enough for a record or for a page of a list. */
const usualMaxBytes = 16 * 1024 * 1024;

/** Loads undici with the first request. */
export function openSender(options: SenderOptions, gate: Throttle, redactor: Redactor): Sender {
  const { redact } = redactor;
  const { origin, credential, clock, timeoutMs, bodyTimeoutMs, trace } = options;
  let dispatcher: ReturnType<typeof openDispatcher> | undefined;

  const headersFor = async ({ headers = {} }: HttpRequest, { body }: Hop, strayed: boolean) => {
    const usual: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': acceptedEncodings,
      'user-agent': options.userAgent ?? 'sluice',
    };
    if (body !== undefined) usual['content-type'] = 'application/json';
    if (typeof body === 'object') usual['content-length'] = String(body.bytes);
    if (strayed) return usual;
    for (const [name, value] of Object.entries(headers)) usual[name.toLowerCase()] = value;
    if (credential === undefined) return usual;
    const { name, value, token } = await readCredential(credential);
    redactor.learn(token);
    return { ...usual, [name]: value };
  };

  return {
    async send(request, start, attempt, signal) {
      dispatcher ??= openDispatcher(options);
      const undici = await dispatcher;
      return follow(
        start,
        origin,
        async (hop, strayed) => {
          const headers = await headersFor(request, hop, strayed);
          throwIfAborted(signal);
          const shown = redact(showAddress(hop.url));
          if (redactor.isIn(hop.url))
            throw new HttpError(`${shown} was not requested: its URL contains the token.`, {
              code: 'bad-address',
              url: shown,
              hint: 'Remove the token from the URL. A token is only sent in a header.',
            });
          trace(
            `${hop.method} ${shown}${attempt > 1 ? ` (try ${attempt})` : ''}${
              strayed ? ' (another origin, without the token)' : ''
            }`,
          );
          const sentAt = clock.now();
          const { maxBytes = usualMaxBytes, sieve, isData = false } = request;
          const limits = { timeoutMs, bodyTimeoutMs, maxBytes, sieve, isData, watch: redactor.watch() };
          const outcome = await sendOnce(undici, hop, headers, limits, signal);
          trace(`  ${describe(outcome)}, after ${showDuration(clock.now() - sentAt)}`);
          if (outcome.kind === 'response' && !strayed && !request.final?.includes(outcome.status))
            gate.note(outcome.status, outcome.header);
          return outcome;
        },
        redactor,
      );
    },
    [Symbol.asyncDispose]: async () => (await dispatcher?.catch(() => undefined))?.destroy(),
  };
}

/** Omits the query of a location, which may be signed. */
function describe(outcome: Ending['outcome']): string {
  if (outcome.kind === 'failure') return outcome.failure.what;
  const location = outcome.header('location');
  return (
    `${outcome.status}, ${outcome.body.length} bytes` +
    (location === undefined ? '' : `, to ${location.replace(/[?#].*/s, '')}`)
  );
}

interface DispatcherOptions {
  readonly timeoutMs: number;
  readonly connections: number;
  readonly ca?: string | undefined;
  readonly proxy?: Proxy | undefined;
}

const longestConnectMs = 10_000;

/**
 * Loads undici. The caller handles timeouts (except for connecting), redirects, retries and decoding. Throws
 * `bad-certificate`.
 */
export async function openDispatcher({ timeoutMs, connections, ca, proxy }: DispatcherOptions): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const trust = ca === undefined ? {} : { secureContext: await trustToo(ca) };
  const options: Agent.Options = {
    connections,
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: Math.min(longestConnectMs, timeoutMs), ...trust },
  };
  if (proxy === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: { ...trust },
    httpProxy: proxy.url,
    httpsProxy: proxy.url,
    noProxy: proxy.except ?? '',
  });
}

async function trustToo(ca: string) {
  const { createSecureContext, getCACertificates } = await import('node:tls');
  try {
    if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it has no certificate');
    return createSecureContext({ ca: [...getCACertificates('default'), ca] });
  } catch (cause) {
    throw new ConfigError('The trusted certificates cannot be read.', {
      code: 'bad-certificate',
      cause,
      hint: 'Use PEM files that start with -----BEGIN CERTIFICATE-----.',
    });
  }
}

/** The end of a request after all redirects. */
interface Ending {
  readonly outcome: Received | Failed;
  readonly url: URL;
  /** True if a redirect left the origin. Later hops get no token, even back at the origin. */
  readonly strayed: boolean;
}

/** Sends a request and follows redirects. Errors: `bad-redirect`, `redirected-away`, `too-many-redirects`. */
async function follow(
  start: Hop,
  origin: string,
  send: (hop: Hop, strayed: boolean) => Promise<Received | Failed>,
  redactor: Redactor,
): Promise<Ending> {
  const hops = [start];
  let strayed = false;
  for (;;) {
    const hop = hops.at(-1)!;
    strayed ||= hop.url.origin !== origin;
    const outcome = await send(hop, strayed);
    if (outcome.kind === 'failure' || !isRedirect(outcome.status)) return { outcome, url: hop.url, strayed };
    hops.push(nextHop(hops, outcome.status, outcome.header('location'), redactor));
  }
}
