import { invariant } from '../../ask/invariant.ts';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import { quote, showText } from '../../ask/text.ts';
import { type Proxy, readBaseAddress, readProxyPassword, showAddress, toAddress } from './address.ts';
import { type Clock, type Deadline, openDeadline } from './clock.ts';
import type { Credential } from './credential.ts';
import { openThrottle } from './throttle.ts';
import { type RetryNotice, showDuration, tellSilence } from './retry-notice.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { openSender } from './open-sender.ts';
import { openRedactor, type Redactor } from './redact.ts';
import type { Hop } from './redirect.ts';
import { readNamedDelay, retryDelay } from './retry-delay.ts';
import type { Failed, Received } from './send-once.ts';

/** A server that restarts, or the proxy before it. */
const restarting = new Set([502, 503, 504]);
/** More than the time allows, unless the server names delays that are too short. */
const mostTriesWhenAway = 40;
/** The request itself may be the reason, so more tries would only cost more. */
const mostTries = 5;
/** More tries, because a rate-limited server answers in the end. */
const mostTriesWhenLimited = 10;

/**
 * How many tries an outcome allows: as many as the time allows if the server is away, and 1 if a retry cannot succeed,
 * or might carry out an unsafe request twice.
 */
function mostTriesFor(outcome: Received | Failed, { safe, final }: HttpRequest): number {
  if (outcome.kind === 'failure') {
    const { passing, unsent, code } = outcome.failure;
    if (!passing || !(safe || unsent)) return 1;
    return code === 'unreachable' ? mostTriesWhenAway : mostTries;
  }
  const { status } = outcome;
  if (final?.includes(status)) return 1;
  // A 429 was never carried out.
  if (status === 429) return mostTriesWhenLimited;
  if (!safe) return 1;
  return restarting.has(status) ? mostTriesWhenAway : status === 500 ? mostTries : 1;
}

export interface HttpOptions {
  /** The base address, e.g. `https://code.example.org` or `https://code.example.org/gitlab`. */
  readonly url: string;
  readonly credential?: Credential | undefined;
  readonly clock: Clock;
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** Time for retries and waits of one request, after its first try. Defaults to one minute; 0 means no retries. */
  readonly retryBudgetMs?: number | undefined;
  /** Timeout in milliseconds from sending to the head of the response; defaults to two minutes. */
  readonly timeoutMs?: number | undefined;
  /** Timeout in milliseconds from the head of the response to the end of its body; defaults to five minutes. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Called for each request, response and wait with a line without the token. Used by `--verbose`. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Called when a request takes long, to inform the user. */
  readonly onHoldup?: ((holdup: RetryNotice) => void) | undefined;
  readonly userAgent?: string | undefined;
  /** Certificates in PEM to trust in addition to the default ones. */
  readonly ca?: string | undefined;
  readonly proxy?: Proxy | undefined;
  /** Maximum number of concurrent requests; defaults to 16. */
  readonly connections?: number | undefined;
}

/** Refused because they would bypass the rules for the token, or contradict the body. */
const ownHeaders = new Set([
  'authorization',
  'private-token',
  'job-token',
  'cookie',
  'proxy-authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
]);

/** Opens no connection yet. Throws `ConfigError` `bad-address` and `bad-proxy`. */
export function openHttp(options: HttpOptions): HttpClient {
  const {
    clock,
    random,
    retryBudgetMs = 60_000,
    timeoutMs = 120_000,
    bodyTimeoutMs = 300_000,
    connections = 16,
  } = options;
  const base = readBaseAddress(options.url);
  const password = options.proxy === undefined ? '' : readProxyPassword(options.proxy.url);
  const redactor = openRedactor(...(password === '' ? [] : [password]));
  const { redact } = redactor;
  const gate = openThrottle(clock, connections);
  const running = new Set<Deadline>();
  let closed = false;

  const trace = (line: string) => options.trace?.(showText(redact(line)));
  const sender = openSender(
    { ...options, timeoutMs, bodyTimeoutMs, connections, origin: base.origin, trace },
    gate,
    redactor,
  );
  const shown = (url: URL) => redact(showAddress(url));

  const again = (
    outcome: Received | Failed,
    { host }: URL,
    { delay, waitedMs, until }: { readonly delay: number; readonly waitedMs: number; readonly until: string },
  ): RetryNotice => {
    const what =
      outcome.kind === 'failure'
        ? redact(outcome.failure.what)
        : outcome.status === 429
          ? 'says that it received too many requests'
          : `has a problem (${outcome.status})`;
    return {
      kind: 'again',
      text: `${redact(host)} ${what}: retrying in ${showDuration(delay)}, ${until}.`,
      waitedMs,
      inMs: delay,
    };
  };

  const answer = async (request: HttpRequest, start: Hop, signal: AbortSignal): Promise<HttpResponse> => {
    const startedAt = clock.now();
    let patience = startedAt + retryBudgetMs;
    for (let attempt = 1; ; attempt += 1) {
      const leave = await gate.enter(patience, signal);
      const sentAt = clock.now();
      const { outcome, url, strayed } = await sender.send(request, start, attempt, signal).finally(leave);
      const now = clock.now();
      // The first try does not count against the budget, because the timeout of a silent server exceeds it.
      if (attempt === 1) patience += now - sentAt;
      const named = outcome.kind === 'response' ? readNamedDelay(outcome.status, outcome.header, now) : undefined;
      const delay = Math.min(retryDelay(attempt, random(), named), patience - now);
      const most = mostTriesFor(outcome, request);
      if (attempt >= most || now + (named ?? 0) >= patience) {
        const facts = {
          url: shown(url),
          href: redact(url.href),
          attempts: attempt,
          elapsedMs: now - startedAt,
          strayed,
        };
        if (outcome.kind === 'response') return toResponse(outcome, facts, redactor);
        const { code, what, hint: usualHint } = outcome.failure;
        const hint =
          code === 'unreachable' && options.proxy !== undefined
            ? `${usualHint} The request goes through the proxy ${new URL(options.proxy.url).host}.`
            : usualHint;
        const tries = attempt === 1 ? '' : ` (${attempt} tries in ${showDuration(facts.elapsedMs)})`;
        throw new HttpError(`${code === 'unreachable' ? url.origin : facts.url} ${redact(what)}${tries}.`, {
          code,
          hint,
          cause: redactor.redactError(outcome.cause),
          ...facts,
        });
      }
      const left = `for at most ${showDuration(patience - now)}`;
      const until = most === mostTriesWhenAway ? left : `${left} or ${most} tries`;
      trace(`  again in ${showDuration(delay)}${named === undefined ? '' : ', as the server says'}`);
      options.onHoldup?.(again(outcome, url, { delay, waitedMs: now - startedAt, until }));
      await clock.sleep(delay, signal);
    }
  };

  return {
    origin: base.origin,
    redact,
    async request(request) {
      const strange = Object.keys(request.headers ?? {}).find((name) => ownHeaders.has(name.toLowerCase()));
      invariant(strange === undefined, `the header ${strange} is set by the client alone`);
      throwIfAborted(request.signal);
      const url = toAddress(base, request.path, request.query);
      if (closed)
        throw new HttpError('The connection to the server has been closed.', {
          code: 'client-closed',
          url: shown(url),
          hint: 'Open it again.',
        });
      const hop = {
        method: request.method.toUpperCase(),
        url,
        body: request.body ?? (request.json === undefined ? undefined : JSON.stringify(request.json)),
        staysHome: request.staysHome,
        isData: request.isData,
      };
      using own = openDeadline(request.signal);
      const over = new AbortController();
      running.add(own);
      if (options.onHoldup !== undefined) tellSilence(redact(url.host), clock, options.onHoldup, over.signal);
      try {
        return await answer(request, hop, own.signal);
      } catch (error) {
        // Report aborts with the caller's own reason, wherever the signal was noticed.
        throw own.signal.aborted ? new AbortedError(request.signal?.reason) : error;
      } finally {
        over.abort();
        running.delete(own);
      }
    },
    [Symbol.asyncDispose]: async () => {
      closed = true;
      for (const each of running) each.stop();
      await sender[Symbol.asyncDispose]();
    },
  };
}

/** Already without secrets. */
type ResponseFacts = Pick<HttpResponse, 'url' | 'href' | 'attempts' | 'elapsedMs' | 'strayed'>;

/** Converts a response for callers. Redacts the token if the server repeats it. */
function toResponse(
  { status, header, body, isClean = false }: Received,
  facts: ResponseFacts,
  { redact, isInBody }: Pick<Redactor, 'redact' | 'isInBody'>,
): HttpResponse {
  const isSuccess = status >= 200 && status < 300;
  let decoded: string | undefined;
  let isBlotted = false;
  const readText = () => {
    if (decoded !== undefined) return decoded;
    const text = new TextDecoder().decode(body);
    // The body of a success may be large, so search it with the fast check first.
    decoded = isClean || (isSuccess && !isInBody(body)) ? text : redact(text);
    isBlotted = decoded !== text;
    return decoded;
  };

  return {
    status,
    ...facts,
    headers: {
      get: (name) => {
        const value = header(name.toLowerCase());
        return value === undefined ? undefined : redact(value);
      },
    },
    bytes: async () => (isClean || (isSuccess && !isInBody(body)) ? body : new TextEncoder().encode(readText())),
    text: async () => readText(),
    json: async () => {
      const text = readText();
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new HttpError(
          `${facts.url} answered (${status}) with a response that is not JSON: ` +
            `${describeBody(header('content-type'), text, redact)}.`,
          {
            code: 'not-json',
            url: facts.url,
            status,
            attempts: facts.attempts,
            elapsedMs: facts.elapsedMs,
            // The parser's message quotes the text, and might show part of a token.
            cause: !isBlotted && redact(text) === text ? cause : undefined,
            hint:
              'Check the URL of the server in the configuration. ' +
              'A sign-in page, a proxy or another service may answer there.',
          },
        );
      }
    },
  };
}

/** Describes a body that is not JSON: `text/html, "<!DOCTYPE html>…"`. */
function describeBody(contentType: string | undefined, text: string, redact: (text: string) => string): string {
  const type = contentType === undefined ? 'no content type' : quote(redact(contentType)).slice(1, -1);
  return `${type}, ${text.trim() === '' ? 'nothing in it' : quote(redact(text.trim().slice(0, 10_000)))}`;
}
