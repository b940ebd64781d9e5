import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ApiFlavor } from './api-flavor.ts';
import { Refusal } from './refusal.ts';

/**
 * Whether a token is correct, in constant time. `address` is that of the client. Throws a `Refusal` of 429 if too many
 * wrong tokens came from there.
 */
export type TokenCheck = (given: string, address: string) => boolean;

/** Wrong tokens that an address may send at once, plus one per second. This prevents guessing. */
const mostFailures = 20;
/** Number of remembered addresses. */
const mostAddresses = 10_000;

/** `now` in milliseconds. */
export function toTokenCheck(token: string, now = () => performance.now()): TokenCheck {
  const isSame = toComparison(token);
  /** Failures of each address, and when they were counted. The address that failed last is at the end. */
  const failed = new Map<string, { readonly failures: number; readonly at: number }>();
  const failuresOf = (network: string) => {
    const known = failed.get(network);
    return known ? Math.max(0, known.failures - (now() - known.at) / 1_000) : 0;
  };
  return (given, address) => {
    const network = networkOf(address);
    const failures = failuresOf(network);
    if (failures > mostFailures - 1) {
      throw new Refusal(429, 'Too many wrong tokens came from this address. Retry later.', {
        headers: { 'retry-after': '1' },
      });
    }
    if (isSame(given)) return true;
    failed.delete(network);
    failed.set(network, { failures: failures + 1, at: now() });
    if (failed.size > mostAddresses)
      for (const oldest of failed.keys()) {
        failed.delete(oldest);
        break;
      }
    return false;
  };
}

/** Returns the network of an address, because a client with one IPv6 address usually has its whole /64 network. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^::ffff:/i, '');
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const end = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  return [...groups, ...new Array<string>(Math.max(0, 8 - groups.length - end.length)).fill('0'), ...end]
    .slice(0, 4)
    .join(':');
}

/** Compares texts with the secret in constant time. */
export function toComparison(secret: string | Buffer): (given: string | Buffer) => boolean {
  const wanted = digest(secret);
  return (given) => timingSafeEqual(digest(given), wanted);
}

function digest(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Returns the token of an `Authorization` header: the text after `Bearer`, or all of it. */
function tokenInAuthorization(header: string): string {
  return /^bearer\s+(.*)$/is.exec(header)?.[1]?.trim() ?? header.trim();
}

/**
 * Checks the token of a request. Each flavor has its own status and message. A token in the URL is rejected even if
 * none is required, because URLs end up in logs and histories.
 */
export function authorize(
  flavor: ApiFlavor,
  { headers, socket }: IncomingMessage,
  search: string,
  check: TokenCheck | undefined,
): void {
  if (new URLSearchParams(search).has('private_token')) {
    throw new Refusal(
      401,
      '401 Unauthorized: tokens in the URL are not accepted. Send the token in the header PRIVATE-TOKEN.',
    );
  }
  if (!check) return;
  const address = socket.remoteAddress ?? '';
  if (flavor === 'cube') {
    if (headers.authorization === undefined) throw new Refusal(403, "Authorization header isn't set");
    if (!check(tokenInAuthorization(headers.authorization), address)) throw new Refusal(403, 'Invalid token');
    return;
  }
  const inHeader = headers['private-token'];
  const bearer = /^bearer\s/i.test(headers.authorization ?? '')
    ? tokenInAuthorization(headers.authorization ?? '')
    : undefined;
  const given = typeof inHeader === 'string' ? inHeader : bearer;
  if (given === undefined || !check(given, address)) throw new Refusal(401, '401 Unauthorized');
}
