import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from './refusal.ts';

/** Names and addresses that mean this machine and no other. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

/**
 * A page that a browser loaded from elsewhere can have its own name point to this machine, and would then be of the
 * same
 * origin: what listens on loopback answers only to names of this machine.
 */
export function checkHost(host: string | undefined): void {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host ?? '')?.[1];
  if (name === undefined || !isLoopback(name))
    throw new Refusal(403, 'This server only accepts local requests to localhost.');
}

export interface OriginRules {
  /** Origins whose pages may ask, as browsers write them. */
  readonly allowed: readonly string[];
}

/** Headers that let the page that asks read the answer. Refused: pages of origins that are not allowed to ask. */
export function originHeaders(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  { allowed }: OriginRules,
): Readonly<Record<string, string>> {
  // Pictures, scripts and links of other sites name no origin.
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

/** What a page is told that asks before it asks. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, private-token, x-request-id',
  'access-control-max-age': '600',
};
