import { quote } from '../../ask/text.ts';
import { holdsCredentials, isHttp, parseAddress, showAddress } from './address.ts';
import type { StreamedBody } from './http-client.ts';
import { HttpError } from './http-error.ts';
import type { Redactor } from './redact.ts';

/** One step of a request. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly body: string | StreamedBody | undefined;
  /** True if the body must not be sent to another origin. */
  readonly staysHome?: boolean | undefined;
  /** True if the response must not come from another origin. */
  readonly isData?: boolean | undefined;
}

/** The platform redirects a moved project once, and a proxy perhaps scheme and host. More is a fault. */
const mostRedirects = 5;

const followed = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return followed.has(status);
}

/**
 * The next hop of a redirect. Method and body are kept, because the platform moves addresses and not actions; 303
 * becomes a GET. Errors: `bad-redirect`, `redirected-away`, `too-many-redirects`.
 */
export function nextHop(
  hops: readonly Hop[],
  status: number,
  location: string | undefined,
  { redact, isIn }: Redactor,
): Hop {
  const last = hops.at(-1)!;
  const refuse = (
    code: 'bad-redirect' | 'redirected-away' | 'too-many-redirects',
    reason: string,
    hint = 'Check the URL of the server in the configuration, and the proxies before it.',
  ) =>
    new HttpError(`${redact(showAddress(last.url))} redirects ${reason}.`, {
      code,
      url: redact(showAddress(last.url)),
      status,
      hint,
    });

  if (location === undefined || location.trim() === '') throw refuse('bad-redirect', 'without a target');
  const url = parseAddress(location.trim(), last.url);
  if (url === undefined) throw refuse('bad-redirect', `to an invalid URL: ${quote(redact(location))}`);
  url.hash = '';
  if (!isHttp(url)) throw refuse('bad-redirect', `to an unsupported protocol: ${quote(redact(url.protocol))}`);
  if (last.url.protocol === 'https:' && url.protocol === 'http:')
    throw refuse('bad-redirect', 'from https to http, which is not encrypted');
  if (holdsCredentials(url)) throw refuse('bad-redirect', 'to a URL that contains a credential');
  if (isIn(url)) throw refuse('bad-redirect', 'to a URL that contains the token');

  const fetching = { method: last.method === 'HEAD' ? 'HEAD' : 'GET', body: undefined };
  const hop: Hop = { ...last, url, ...(status === 303 && fetching) };
  const home = hops[0]!.url.origin;
  if (url.origin !== home && (hop.isData || (hop.staysHome && hop.body !== undefined))) {
    const hint = hop.isData
      ? `If ${redact(url.origin)} is the right server, configure its URL instead of ${redact(home)}.`
      : 'If that is the right one, configure its URL instead.';
    throw refuse(
      'redirected-away',
      `to another origin, ${redact(url.origin)}, which must not receive this request`,
      hint,
    );
  }
  if (hops.some((other) => other.url.href === url.href && other.method === hop.method))
    throw refuse('too-many-redirects', 'in a circle');
  if (hops.length > mostRedirects) throw refuse('too-many-redirects', `more than ${mostRedirects} times`);
  return hop;
}
