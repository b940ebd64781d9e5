import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import { otherSpelling } from '../../plan/model/event-fields.ts';
import { showDuration } from '../http/retry-notice.ts';
import type { Refusal } from './load-service.ts';

/** Appends the server's message to a sentence. */
export function withWords(sentence: string, { words }: Pick<Refusal, 'words'>): string {
  if (words.text === '') return `${sentence}.`;
  return `${sentence}: ${words.text}${/[.!?…]$/.test(words.text) ? '' : '.'}`;
}

/**
 * Appends to a hint that the request was redirected, which may be the whole problem: for example http instead of https.
 */
export function withAway(hint: string, { strayed = false, url }: Pick<Refusal, 'strayed' | 'url'>): string {
  return strayed
    ? `${hint} The server redirected to another origin, which gets no token: ` +
        `is ${new URL(url).origin} the address to configure?`
    : hint;
}

/** Creates the error of a refusal from a sentence, to which it adds the server's message. */
export function errorOf(refusal: Refusal) {
  return (code: SluiceErrorCode, sentence: string, hint: string) =>
    new BackendError(withWords(sentence, refusal), { code, hint: withAway(hint, refusal) });
}

/**
 * The errors that every service has: a refused query, or a server problem. Codes: `query-refused`, `query-too-long`,
 * `limit-too-high`, `rate-limited`, `service-unreachable`, `server-overloaded`, `server-error`, `endpoint-not-found`,
 * `forbidden`.
 */
export function toCommonError(refusal: Refusal, service: string): BackendError {
  const { status, words, url, retryAfterMs } = refusal;
  const error = errorOf(refusal);
  if (/query limit has been exceeded/i.test(words.text))
    return error(
      'limit-too-high',
      `${service} returns at most 50,000 rows at once`,
      'Page with limit and offset, or export all rows with `sluice export`.',
    );
  switch (status) {
    case 400:
    case 200:
    case 422:
      return error(
        'query-refused',
        `${service} refuses the query`,
        hintForMember(words.text) ?? 'Use --explain to see the request, and `sluice model` to list the members.',
      );
    case 403:
      return error('forbidden', `${service} does not allow this`, 'Check that the user of the token has access.');
    case 404:
    case 405:
      return error(
        'endpoint-not-found',
        `${url} does not answer queries (${status})`,
        'Check that the configured URL is right, and that the version of the server has product analytics.',
      );
    case 413:
    case 414:
      return error(
        'query-too-long',
        `The query is too long for ${service} (${status})`,
        'Split the query: use fewer members or shorter lists in filters.',
      );
    case 429:
      return error(
        'rate-limited',
        `${service} received too many requests`,
        retryAfterMs === undefined
          ? 'Wait a few minutes and try again.'
          : `Try again in ${showDuration(retryAfterMs)}.`,
      );
    case 502:
    case 504:
      return error(
        'service-unreachable',
        `${service} cannot reach the service that computes its answers (${status})`,
        'Try again later. If the error persists, ask the administrator to check the analytics service.',
      );
    case 503:
      return error('server-overloaded', `${service} is overloaded or under maintenance (503)`, 'Try again later.');
    default:
      if (status < 400)
        return error(
          'endpoint-not-found',
          `${url} answers with status ${status}, not with data`,
          'Check that the configured URL is right.',
        );
      if (status < 500)
        return error(
          'query-refused',
          `${service} refuses the request (${status})`,
          'Use --verbose to see the request.',
        );
      return error(
        'server-error',
        `${service} failed (${status})`,
        'Try again later. If the error persists, use a smaller query, or tell the administrator.',
      );
  }
}

/** Cube names the unknown member. */
function hintForMember(text: string): string | undefined {
  const member = /not found for path '([\w.]+)'/.exec(text)?.[1];
  const other = member === undefined ? undefined : otherSpelling(member);
  return other === undefined
    ? undefined
    : `The server has no ${member}. Other versions call it ${other}. Run \`sluice model\` to list the members.`;
}
