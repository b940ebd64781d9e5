import { showText } from '../../ask/document/show-text.ts';
import { invariant } from '../../ask/invariant.ts';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import { readBaseAddress, readProxyPassword, showAddress, toAddress } from './address.ts';
import type { Clock } from './clock.ts';
import type { Credential } from './credential.ts';
import { type Deadline, openDeadline } from './deadline.ts';
import { openGate } from './gate.ts';
import { type Holdup, tellSilence } from './holdup.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { openSender } from './open-sender.ts';
import type { Proxy } from './proxy.ts';
import { openRedactor } from './redact.ts';
import type { Hop } from './redirect.ts';
import { readNamedDelay, retryDelay } from './retry-delay.ts';
import { mayRetry } from './retry-rule.ts';
import type { Failed, Received } from './send-once.ts';
import { showDuration } from './show-duration.ts';
import { toResponse } from './to-response.ts';

export interface HttpOptions {
  /** The base address, e.g. `https://code.example.org` or `https://code.example.org/gitlab`. */
  readonly url: string;
  readonly credential?: Credential | undefined;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** How long one request may be tried and waited for again and again, after its first try. A minute where not set; 0 for a single try. */
  readonly retryBudgetMs?: number | undefined;
  /** From sending to the head of the response. Two minutes where not set. */
  readonly timeoutMs?: number | undefined;
  /** From the head of the response to the end of its body. Five minutes where not set. */
  readonly bodyTimeoutMs?: number | undefined;
  /** What `--verbose` shows: a line for each request, response and wait, without the token. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Told of requests that take their time: for people who sit and wait. */
  readonly onHoldup?: ((holdup: Holdup) => void) | undefined;
  readonly userAgent?: string | undefined;
  /** Certificates in PEM that are trusted beside the usual ones. */
  readonly ca?: string | undefined;
  readonly proxy?: Proxy | undefined;
  /** At once. 16 where not set. */
  readonly connections?: number | undefined;
}

/** They would go around what is said about the token, or contradict the body. */
const ownHeaders = new Set(['authorization', 'private-token', 'job-token', 'cookie', 'proxy-authorization', 'host', 'content-length', 'transfer-encoding', 'connection']);

/** Opens no connection yet. Errors: `ConfigError`s `bad-address` and `bad-proxy`. */
export function openHttp(options: HttpOptions): HttpClient {
  const { clock, random, retryBudgetMs = 60_000, timeoutMs = 120_000, bodyTimeoutMs = 300_000, connections = 16 } = options;
  const base = readBaseAddress(options.url);
  const password = options.proxy === undefined ? '' : readProxyPassword(options.proxy.url);
  const redactor = openRedactor(...(password === '' ? [] : [password]));
  const { redact } = redactor;
  const gate = openGate(clock, connections);
  const running = new Set<Deadline>();
  let closed = false;

  const trace = (line: string) => options.trace?.(showText(redact(line)));
  const sender = openSender({ ...options, timeoutMs, bodyTimeoutMs, connections, origin: base.origin, trace }, gate, redactor);
  const shown = (url: URL) => redact(showAddress(url));

  const again = (outcome: Received | Failed, { host }: URL, { delay, waitedMs, leftMs }: { readonly delay: number; readonly waitedMs: number; readonly leftMs: number }): Holdup => {
    const what = outcome.kind === 'failure' ? redact(outcome.failure.what) : outcome.status === 429 ? 'says that it is asked too often' : `is not well (${outcome.status})`;
    return { kind: 'again', text: `${redact(host)} ${what}: it is tried again in ${showDuration(delay)}, and for ${showDuration(leftMs)} at most.`, waitedMs, inMs: delay };
  };

  const answer = async (request: HttpRequest, start: Hop, signal: AbortSignal): Promise<HttpResponse> => {
    const startedAt = clock.now();
    let patience = startedAt + retryBudgetMs;
    for (let attempt = 1; ; attempt += 1) {
      const leave = await gate.enter(patience, signal);
      const sentAt = clock.now();
      const { outcome, url, strayed } = await sender.send(request, start, attempt, signal).finally(leave);
      const now = clock.now();
      // However long the first try took, it is one try: one of a server that says nothing takes longer than the budget.
      if (attempt === 1) patience += now - sentAt;
      const named = outcome.kind === 'response' ? readNamedDelay(outcome.status, outcome.header, now) : undefined;
      const delay = retryDelay(attempt, random(), named);
      if (!mayRetry(outcome, attempt, request.safe) || now + (named ?? delay) >= patience) {
        const facts = { url: shown(url), href: redact(url.href), attempts: attempt, elapsedMs: now - startedAt, strayed };
        if (outcome.kind === 'response') return toResponse(outcome, facts, redactor);
        const { code, what, hint: usualHint } = outcome.failure;
        const hint = code === 'unreachable' && options.proxy !== undefined ? `${usualHint} It is asked through the proxy ${new URL(options.proxy.url).host}.` : usualHint;
        const tries = attempt === 1 ? '' : ` (${attempt} tries in ${showDuration(facts.elapsedMs)})`;
        throw new HttpError(`${code === 'unreachable' ? url.origin : facts.url} ${redact(what)}${tries}.`, { code, hint, cause: redactor.redactError(outcome.cause), ...facts });
      }
      trace(`  again in ${showDuration(delay)}${named === undefined ? '' : ', as the server says'}`);
      options.onHoldup?.(again(outcome, url, { delay, waitedMs: now - startedAt, leftMs: patience - now }));
      await clock.sleep(Math.min(delay, patience - now), signal);
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
      if (closed) throw new HttpError('The connection to the server has been closed.', { code: 'client-closed', url: shown(url), hint: 'Open it again.' });
      const hop = { method: request.method.toUpperCase(), url, body: request.body ?? (request.json === undefined ? undefined : JSON.stringify(request.json)), staysHome: request.staysHome, isData: request.isData };
      using own = openDeadline(request.signal);
      const over = new AbortController();
      running.add(own);
      if (options.onHoldup !== undefined) tellSilence(redact(url.host), clock, options.onHoldup, over.signal);
      try {
        return await answer(request, hop, own.signal);
      } catch (error) {
        // One error with the caller's own reason, however deep the signal was met.
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
