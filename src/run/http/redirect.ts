import { quote } from '../../ask/text.ts';
import { holdsCredentials, isHttp, parseAddress, showAddress } from './address.ts';
import { HttpError } from './http-error.ts';
import type { Redactor } from './redact.ts';

/** One step of a request. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
  /** The body goes to no other origin than the first. */
  readonly staysHome?: boolean | undefined;
  /** Nor is its answer taken from another origin. */
  readonly isData?: boolean | undefined;
}

/** The platform moves a project once, a proxy perhaps its scheme and its host; more is a fault. */
export const mostRedirects = 5;

const followed = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return followed.has(status);
}

/**
 * Where a redirect leads. Method and body stay as they are (the platform moves addresses, not actions), but for 303, which
 * says to fetch the result. Errors: `bad-redirect`, `redirected-away`, `too-many-redirects`.
 */
export function nextHop(hops: readonly Hop[], status: number, location: string | undefined, { redact, isIn }: Redactor): Hop {
  const last = hops.at(-1)!;
  const refuse = (code: 'bad-redirect' | 'redirected-away' | 'too-many-redirects', reason: string, hint = 'Look at the address of the server in the configuration, and at the proxies before it.') =>
    new HttpError(`${redact(showAddress(last.url))} redirects ${reason}.`, { code, url: redact(showAddress(last.url)), status, hint });

  if (location === undefined || location.trim() === '') throw refuse('bad-redirect', 'without saying where');
  const url = parseAddress(location.trim(), last.url);
  if (url === undefined) throw refuse('bad-redirect', `to what is no address: ${quote(redact(location))}`);
  url.hash = '';
  if (!isHttp(url)) throw refuse('bad-redirect', `to what is not of the web: ${quote(redact(url.protocol))}`);
  if (last.url.protocol === 'https:' && url.protocol === 'http:') throw refuse('bad-redirect', 'from https to http, where anybody could read along');
  if (holdsCredentials(url)) throw refuse('bad-redirect', 'to an address that holds a credential');
  if (isIn(url)) throw refuse('bad-redirect', 'to an address that holds the token');

  const fetching = { method: last.method === 'HEAD' ? 'HEAD' : 'GET', body: undefined };
  const hop: Hop = { ...last, url, ...(status === 303 && fetching) };
  const home = hops[0]!.url.origin;
  if (url.origin !== home && (hop.isData || (hop.staysHome && hop.body !== undefined))) {
    const hint = hop.isData
      ? `If ${redact(url.origin)} is the right server, configure its address in place of ${redact(home)}.`
      : 'If that is the right one, write its address in place of the old one.';
    throw refuse('redirected-away', `to another origin, ${redact(url.origin)}, which is not sent what is meant for this one`, hint);
  }
  if (hops.some((other) => other.url.href === url.href && other.method === hop.method)) throw refuse('too-many-redirects', 'in a circle');
  if (hops.length > mostRedirects) throw refuse('too-many-redirects', `more than ${mostRedirects} times`);
  return hop;
}
