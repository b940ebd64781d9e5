import { BackendError } from '../../ask/sluice-error.ts';
import { otherSpelling } from '../../plan/model/event-fields.ts';
import { showDuration } from '../http/show-duration.ts';
import type { Refusal } from './load-service.ts';

/** Behind a sentence, what the server said itself. */
export function withWords(sentence: string, { words }: Pick<Refusal, 'words'>): string {
  if (words.text === '') return `${sentence}.`;
  return `${sentence}: ${words.text}${/[.!?…]$/.test(words.text) ? '' : '.'}`;
}

/** A hint, and beside it that the request went astray, which may be all that is wrong: an address with http for https, say. */
export function withAway(hint: string, { strayed = false, url }: Pick<Refusal, 'strayed' | 'url'>): string {
  return strayed ? `${hint} The server redirected to another origin, which gets no token: is ${new URL(url).origin} the address to configure?` : hint;
}

/**
 * The errors that every service has: a query that it refuses, and a server that is not well. Codes: `query-refused`,
 * `query-too-long`, `limit-too-high`, `rate-limited`, `service-unreachable`, `server-overloaded`, `server-error`,
 * `endpoint-not-found`, `forbidden`.
 */
export function toCommonError(refusal: Refusal, service: string): BackendError {
  const { status, words, url, retryAfterMs } = refusal;
  const error = (code: string, sentence: string, hint: string) => new BackendError(withWords(sentence, refusal), { code, hint: withAway(hint, refusal) });
  if (/query limit has been exceeded/i.test(words.text)) return error('limit-too-high', `${service} gives no more than 50,000 rows at once`, 'Page with limit and offset, or take everything with `sluice export`.');
  switch (status) {
    case 400:
    case 200:
    case 422:
      return error('query-refused', `${service} refuses the query`, hintForMember(words.text) ?? '--explain shows what was sent; `sluice model` lists what can be asked.');
    case 403:
      return error('forbidden', `${service} does not allow this`, 'Look whether the token is of somebody who may ask there.');
    case 404:
    case 405:
      return error('endpoint-not-found', `There is nothing at ${url} that answers queries (${status})`, 'Look whether the configured address is right, and whether the version there has product analytics.');
    case 413:
    case 414:
      return error('query-too-long', `The query is too long for ${service} (${status})`, 'Ask in parts: fewer members, or shorter lists in filters.');
    case 429:
      return error('rate-limited', `${service} was asked too often`, retryAfterMs === undefined ? 'Wait a few minutes and ask again.' : `Ask again in ${showDuration(retryAfterMs)}, as it says.`);
    case 502:
    case 504:
      return error('service-unreachable', `${service} cannot reach the service that computes its answers (${status})`, 'Ask again in a while; if it lasts, its administrator must look at the analytics service.');
    case 503:
      return error('server-overloaded', `${service} is overloaded or being worked on (503)`, 'Ask again in a while.');
    default:
      if (status < 400) return error('endpoint-not-found', `${url} answers with status ${status}, not with data`, 'Look whether the configured address is right.');
      if (status < 500) return error('query-refused', `${service} refuses the request (${status})`, 'Look with --verbose at what was sent.');
      return error('server-error', `${service} failed (${status})`, 'Ask again in a while; if it lasts, ask for less, or tell its administrator.');
  }
}

/** Cube names the member that it does not know. */
function hintForMember(text: string): string | undefined {
  const member = /not found for path '([\w.]+)'/.exec(text)?.[1];
  const other = member === undefined ? undefined : otherSpelling(member);
  return other === undefined ? undefined : `The server knows no ${member}; others call the same ${other}. \`sluice model\` lists what can be asked.`;
}
