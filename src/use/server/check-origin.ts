import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from './refusal.ts';

/** Whether a host name or address is the local machine. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

/**
 * Rejects foreign host names on loopback, against DNS rebinding: a page can point its own host name to this machine and
 * would then have the same origin.
 */
export function checkHost(host: string | undefined): void {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host ?? '')?.[1];
  if (name === undefined || !isLoopback(name))
    throw new Refusal(403, 'This server only accepts local requests to localhost.');
}

export interface OriginRules {
  /** Allowed origins, in the format of browsers. */
  readonly allowed: readonly string[];
}

/** Returns the CORS headers for a request. Throws a `Refusal` if its origin is not allowed. */
export function originHeaders(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  { allowed }: OriginRules,
): Readonly<Record<string, string>> {
  // Images, scripts and links of other sites send no `Origin` header.
  if (origin === undefined && site === 'cross-site')
    throw new Refusal(403, 'Requests from other origins are not allowed.');
  if (origin === undefined || origin === `http://${host ?? ''}`) return {};
  if (!allowed.includes(origin))
    throw new Refusal(403, 'Requests from this origin are not allowed. Allow it with `--cors`.');
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers': 'x-request-id, retry-after',
  };
}

/** Headers of replies to preflight requests. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, private-token, x-request-id',
  'access-control-max-age': '600',
};
