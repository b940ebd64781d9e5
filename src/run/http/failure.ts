import { quote } from '../../ask/text.ts';
import { SecretEchoed } from './body-watch.ts';
import type { HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { BodyTooLarge, UnknownEncoding } from './read-body.ts';

/** Why there is no whole response. */
export interface Failure {
  readonly code:
    | 'unreachable' | 'timed-out' | 'response-cut-off' | 'bad-response' | 'body-too-large' | 'partial-response' | 'token-echoed';
  /** What happened, as the end of a sentence that begins with the server: `refused the connection`. */
  readonly what: string;
  readonly hint: string;
  /** The server cannot have seen the request. */
  readonly unsent: boolean;
  /** It may be otherwise in a moment. */
  readonly passing: boolean;
}

/** The time that was given for the head of a response, or for its body, is over. */
export class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';
}

/** Only a part of what was asked for, though no part was. */
export class PartialResponse extends Error {
  override readonly name = 'PartialResponse';
}

export type Phase = 'head' | 'body';

const checkAddress = 'Look at the address of the server in the configuration, and whether this machine reaches it.';
const tryLater = 'Try it again later; if it stays so, look at the server and at the proxies before it.';

const unreachable = (what: string, hint = checkAddress, passing = true): Failure => ({ code: 'unreachable', what, hint, unsent: true, passing });
const broken = (what: string): Failure => ({ code: 'unreachable', what, hint: tryLater, unsent: false, passing: true });
const untrusted = (what: string, hint: string): Failure => unreachable(what, hint, false);

const giveCa = 'Name the file of the certificate that signed it by NODE_EXTRA_CA_CERTS.';
const askOwner = 'Ask whoever runs the server to renew it, and look at the clock of this machine.';

const byCode: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: unreachable('refused the connection'),
  ENOTFOUND: unreachable('is no host that the name service knows', checkAddress, false),
  EAI_AGAIN: unreachable('could not be looked up: the name service does not answer'),
  EHOSTUNREACH: unreachable('cannot be reached: there is no route to it'),
  ENETUNREACH: unreachable('lies in a network that cannot be reached'),
  EADDRNOTAVAIL: unreachable('cannot be reached: this machine has no address left to ask from'),
  UND_ERR_CONNECT_TIMEOUT: { ...unreachable('did not take the connection in time'), code: 'timed-out' },
  ECONNRESET: broken('broke the connection off'),
  EPIPE: broken('broke the connection off'),
  UND_ERR_SOCKET: broken('closed the connection without an answer'),
  ETIMEDOUT: { ...broken('stopped answering'), code: 'timed-out' },
  UND_ERR_HEADERS_TIMEOUT: { ...broken('did not answer in time'), code: 'timed-out' },
  CERT_HAS_EXPIRED: untrusted('has a certificate that has expired', askOwner),
  CERT_NOT_YET_VALID: untrusted('has a certificate that is not valid yet', askOwner),
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted('has a certificate for another name', 'Write the address with the name that the certificate is for.'),
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('has a certificate that it signed itself', giveCa),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted('has a certificate of an authority that is not known here', giveCa),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted('has a certificate of an authority that is not known here', giveCa),
  UNABLE_TO_GET_ISSUER_CERT: untrusted('has a certificate of an authority that is not known here', giveCa),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted('has a certificate of an authority that is not known here', giveCa),
  EPROTO: untrusted('does not speak TLS there', 'Look whether the address should begin with http instead of https, and at its port.'),
};

/** What an error of undici, of zlib or of the reading of a body means. */
export function toFailure(error: unknown, phase: Phase): Failure {
  if (error instanceof TimeIsOver) return { code: 'timed-out', what: error.message, hint: 'Ask for less at once, a shorter range or fewer members, or give it more time.', unsent: false, passing: true };
  if (error instanceof BodyTooLarge) {
    return { code: 'body-too-large', what: `sent a body of ${error.message}`, hint: askForLess, unsent: false, passing: false };
  }
  if (error instanceof PartialResponse) return partial;
  if (error instanceof SecretEchoed) return tokenEchoed;
  if (error instanceof UnknownEncoding) return badResponse(`sent a body in an encoding that was not asked for: ${quote(error.message)}`);
  const code = codeOf(error);
  if ((error instanceof Error && error.name === 'HTTPParserError') || code === 'UND_ERR_HEADERS_OVERFLOW') return badResponse(phase === 'head' ? 'answered with what is not HTTP' : 'sent a body that is not HTTP');
  if (code === 'Z_BUF_ERROR' || (phase === 'body' && !/^(?:Z_|ERR_|ZSTD_)/.test(code))) return cutOff;
  if (/^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING|ZSTD_)/.test(code)) return badResponse('sent a body that cannot be decoded');
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return byCode[code] ?? byCode['EPROTO']!;
  const refusal = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (refusal !== undefined) return unreachable(`cannot be reached: the proxy answered ${refusal}`, 'Look at the address of the proxy, and at the user and password in it.', /^50[234]$/.test(refusal));
  const known = byCode[code];
  // What is written to a connection that never came about was not sent.
  if (known !== undefined) return isConnecting(error) ? { ...known, unsent: true } : known;
  return unreachable('could not be asked', tryLater, false);
}

const askForLess =
  'Ask for less at once: a shorter range, fewer members, a smaller limit. If you asked for little, check the address of the server.';

const partial: Failure = {
  code: 'partial-response',
  what: 'sent only a part of its answer (206)',
  hint: 'Check the proxies and caches before the server: sluice did not ask for a part.',
  unsent: false,
  passing: false,
};

const tokenEchoed: Failure = {
  code: 'token-echoed',
  what: 'sent your access token back among its data, which are not used',
  hint: 'Revoke this token and create a new one, since others may have read it there. Then check why the server, or a proxy before it, '
    + 'repeats tokens.',
  unsent: false,
  passing: false,
};

const cutOff: Failure = { code: 'response-cut-off', what: 'broke its answer off in the middle', hint: tryLater, unsent: false, passing: true };

function badResponse(what: string): Failure {
  return { code: 'bad-response', what, hint: checkAddress, unsent: false, passing: false };
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}

function isConnecting(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'connect';
}

interface Meaning {
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

const meanings: Readonly<Record<number, Meaning>> = {
  401: { code: 'unauthenticated', what: 'does not take the token', hint: 'Look whether it is right and has not expired; `sluice doctor` tells where it comes from.' },
  403: { code: 'forbidden', what: 'does not allow this', hint: 'Look at the scope of the token, and at the role of its user.' },
  404: { code: 'not-found', what: 'is not there, or not for this user', hint: 'Look at the number or path in it; a proxy that turns %2F into a slash has the same effect.' },
  414: { code: 'address-too-long', what: 'was asked with more in its address than the server takes', hint: 'Ask with fewer or shorter parameters.' },
  429: { code: 'rate-limited', what: 'was asked too often', hint: 'Wait a while, and ask for less at once.' },
};

/** A final response that is no success, as an error for people, with what the server said. */
export async function toStatusError(response: HttpResponse): Promise<HttpError> {
  const { status, url, attempts, elapsedMs, strayed } = response;
  const other = status >= 500
    ? { code: 'server-error', what: 'failed', hint: 'Try it again later.' }
    : { code: 'refused-by-server', what: 'refused the request', hint: 'Look at what the server said.' };
  const { code, what, hint } = meanings[status] ?? other;
  const said = (await response.text()).trim();
  // It went without the token there, which may be all that is wrong.
  const away = strayed ? ` The server redirected to another origin, which gets no token: is ${new URL(url).origin} the address to configure?` : '';
  return new HttpError(`${url} ${what} (${status})${said === '' ? '' : `: ${quote(said)}`}.`, { code, url, status, attempts, elapsedMs, hint: hint + away });
}
