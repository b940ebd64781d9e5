import { BackendError, type SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { RunOptions } from '../backend.ts';
import { openDeadline } from '../http/clock.ts';
import type { HttpRequest } from '../http/http-client.ts';
import { readNamedDelay, retryDelay } from '../http/retry-delay.ts';
import { showDuration } from '../http/retry-notice.ts';
import type { LoadService } from './load-service.ts';
import { readServerWords } from './server-words.ts';

/** If a server says `Continue wait` sooner than this, pause. Servers normally hold a request for some ten seconds. */
const shortestRound = 200;

/** Larger than any answer of 50,000 rows, and below V8's maximum text length of 2^29 - 24 characters. */
const mostBytes = 256 * 1024 * 1024;

/** As many as after a connection that was cut. */
const mostTriesWhenCut = 5;

/** A parsed body. */
export interface Reply {
  readonly body: unknown;
  /** Parses the body again, with integers as text if a number would round them. */
  readonly exactly: () => unknown;
}

/**
 * Sends a request repeatedly while the server is still working, and some times if its body ends early although the
 * response is complete, as behind a proxy that lost the server. `otherwise`: sent if the first request's endpoint does
 * not exist. Errors: the service's own, `answer-cut-off`, `answer-empty`, `not-json`, `answer-takes-too-long`, those of
 * the client, `AbortedError`.
 */
export async function askUntilDone(
  service: LoadService,
  request: HttpRequest,
  { signal, onWait }: RunOptions,
  otherwise?: HttpRequest,
): Promise<Reply> {
  const { http, clock, waitBudgetMs = Infinity } = service;
  const started = clock.now();
  let asked = request;
  let missing: SluiceError | undefined;
  let cuts = 0;
  for (let round = 1; ; round += 1) {
    throwIfAborted(signal);
    const sent = clock.now();
    const response = await withinBudget(waitBudgetMs - (sent - started), signal, (own) =>
      http.request({ maxBytes: mostBytes, ...asked, signal: own }),
    );
    const text = await response.text();
    const refuse = () =>
      service.toError({
        status: response.status,
        words: readServerWords(text, http.redact),
        url: response.url,
        strayed: response.strayed,
        retryAfterMs: readNamedDelay(response.status, (name) => response.headers.get(name), clock.now()),
      });
    if (otherwise && (response.status === 404 || response.status === 405)) {
      if (missing) throw missing;
      missing = refuse();
      asked = otherwise;
      continue;
    }
    if (response.status < 200 || response.status > 299) throw refuse();
    const read = parse(text, response.url, http.redact);
    if ('fault' in read) {
      if (!read.isPassing || !asked.safe || (cuts += 1) >= mostTriesWhenCut) throw read.fault;
      await clock.sleep(retryDelay(cuts, 1), signal);
      continue;
    }
    const { body } = read;
    const error = errorOf(body);
    if (error === undefined)
      return { body, exactly: () => JSON.parse(text, keepBigNumbers as (key: string, value: unknown) => unknown) };
    if (!error.includes('Continue wait')) throw refuse();
    const waited = clock.now() - started;
    const rest = Math.max(0, shortestRound - (clock.now() - sent));
    if (waited + rest >= waitBudgetMs) throw tooLong(waited);
    onWait?.({ waitedMs: waited, round });
    if (rest > 0) await clock.sleep(rest, signal);
  }
}

/** The longest delay of a timer. */
const longestTimer = 2 ** 31 - 1;

/**
 * Also ends the wait for a server that holds a request silently beyond the budget. Uses real time, because the wait is
 * real.
 */
async function withinBudget<T>(
  budgetMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (budgetMs > longestTimer) return work(signal);
  using deadline = openDeadline(signal);
  const late = tooLong(budgetMs);
  deadline.within(Math.max(0, budgetMs), late);
  try {
    return await work(deadline.signal);
  } catch (error) {
    throw deadline.signal.reason === late ? late : error;
  }
}

/** `isPassing`: the body ended early, which another try may mend. */
function parse(
  text: string,
  url: string,
  redact: (text: string) => string,
): { readonly body: unknown } | { readonly fault: BackendError; readonly isPassing: boolean } {
  try {
    return { body: JSON.parse(text) };
  } catch (cause) {
    const fault = notJson(text, url, { cause, redact });
    return { fault, isPassing: fault.code === 'answer-cut-off' || fault.code === 'answer-empty' };
  }
}

/** The third argument contains the source text. */
function keepBigNumbers(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? source
    : value;
}

function errorOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body) || 'data' in body || 'results' in body)
    return undefined;
  return typeof body.error === 'string' ? body.error : JSON.stringify(body.error);
}

function notJson(
  text: string,
  url: string,
  { cause, redact }: { readonly cause: unknown; readonly redact: (text: string) => string },
): BackendError {
  const { kind, text: words } = readServerWords(text, redact);
  if (kind === 'none')
    return new BackendError(`${url} returned an empty response.`, {
      code: 'answer-empty',
      cause,
      hint: 'Try again. If the error persists, check the proxies before the server.',
    });
  if (kind === 'cut')
    return new BackendError(`The response of ${url} is incomplete.`, {
      code: 'answer-cut-off',
      cause,
      hint: 'Try again, or use a shorter range, fewer members or a smaller limit.',
    });
  if (kind === 'page') {
    return new BackendError(`${url} answered with a web page${words === '' ? '' : ` (“${words}”)`}, not with data.`, {
      code: 'not-json',
      cause,
      hint: 'Check the URL. It may be a sign-in page, a proxy, or not the API.',
    });
  }
  return new BackendError(`${url} answered with text, not with data: ${words}`, {
    code: 'not-json',
    cause,
    hint: 'Check that the URL is that of the API.',
  });
}

function tooLong(waitedMs: number): BackendError {
  return new BackendError(`The server did not answer within ${showDuration(waitedMs)}.`, {
    code: 'answer-takes-too-long',
    hint:
      'Run the query again (the server may continue its work), raise `--wait`, ' +
      'or use a shorter range or fewer members.',
  });
}
