import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { quote } from '../../ask/text.ts';
import { SecretEchoed } from './body-watch.ts';
import type { HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { BodyTooLarge, UnknownEncoding } from './read-body.ts';

/** Why there is no complete response. */
export interface Failure {
  readonly code:
    | 'unreachable'
    | 'timed-out'
    | 'response-cut-off'
    | 'bad-response'
    | 'body-too-large'
    | 'partial-response'
    | 'token-echoed';
  /** What happened, as the end of a sentence that begins with the server: `refused the connection`. */
  readonly what: string;
  readonly hint: string;
  /** True if the server cannot have received the request. */
  readonly unsent: boolean;
  /** True if a retry may succeed. */
  readonly passing: boolean;
}

/** The timeout for the head or the body of a response has passed. */
export class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';
}

/** The response is partial although no range was requested. */
export class PartialResponse extends Error {
  override readonly name = 'PartialResponse';
}

export type Phase = 'head' | 'body';

const checkAddress = 'Check the URL of the server in the configuration, and whether this machine can reach it.';
const tryLater = 'Try again later. If the error persists, check the server and the proxies before it.';

const unreachable = (what: string, hint = checkAddress, passing = true): Failure => ({
  code: 'unreachable',
  what,
  hint,
  unsent: true,
  passing,
});
const broken = (what: string): Failure => ({ code: 'unreachable', what, hint: tryLater, unsent: false, passing: true });
const untrusted = (what: string, hint: string): Failure => unreachable(what, hint, false);

const giveCa = 'Set NODE_EXTRA_CA_CERTS to the file of the certificate that signed it.';
const askOwner = 'Ask the administrator of the server to renew it, and check the clock of this machine.';

const byCode: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: unreachable('refused the connection'),
  ENOTFOUND: unreachable('is not a known host', checkAddress, false),
  EAI_AGAIN: unreachable('could not be looked up: the DNS server does not answer'),
  EHOSTUNREACH: unreachable('cannot be reached: there is no route to it'),
  ENETUNREACH: unreachable('is in a network that cannot be reached'),
  EADDRNOTAVAIL: unreachable('cannot be reached: this machine has no free port'),
  UND_ERR_CONNECT_TIMEOUT: { ...unreachable('did not take the connection in time'), code: 'timed-out' },
  ECONNRESET: broken('closed the connection'),
  EPIPE: broken('closed the connection'),
  UND_ERR_SOCKET: broken('closed the connection without an answer'),
  ETIMEDOUT: { ...broken('stopped answering'), code: 'timed-out' },
  UND_ERR_HEADERS_TIMEOUT: { ...broken('did not answer in time'), code: 'timed-out' },
  CERT_HAS_EXPIRED: untrusted('has a certificate that has expired', askOwner),
  CERT_NOT_YET_VALID: untrusted('has a certificate that is not valid yet', askOwner),
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted(
    'has a certificate for another name',
    'Use the host name of the certificate.',
  ),
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('has a self-signed certificate', giveCa),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted('has a certificate of an unknown authority', giveCa),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted('has a certificate of an unknown authority', giveCa),
  UNABLE_TO_GET_ISSUER_CERT: untrusted('has a certificate of an unknown authority', giveCa),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted('has a certificate of an unknown authority', giveCa),
  EPROTO: untrusted(
    'does not speak TLS there',
    'Check the port, and whether the URL should start with http instead of https.',
  ),
};

/** Converts an error of undici, of zlib or of reading a body. */
export function toFailure(error: unknown, phase: Phase): Failure {
  if (error instanceof TimeIsOver)
    return {
      code: 'timed-out',
      what: error.message,
      hint: 'Use a shorter range or fewer members, or a longer timeout.',
      unsent: false,
      passing: true,
    };
  if (error instanceof BodyTooLarge) {
    return {
      code: 'body-too-large',
      what: `sent a body of ${error.message}`,
      hint: askForLess,
      unsent: false,
      passing: false,
    };
  }
  if (error instanceof PartialResponse) return partial;
  if (error instanceof SecretEchoed) return tokenEchoed;
  if (error instanceof UnknownEncoding)
    return badResponse(`sent a body in an unexpected encoding: ${quote(error.message)}`);
  const code = codeOf(error);
  if ((error instanceof Error && error.name === 'HTTPParserError') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return badResponse(phase === 'head' ? 'sent a response that is not HTTP' : 'sent a body that is not HTTP');
  if (code === 'Z_BUF_ERROR' || (phase === 'body' && !/^(?:Z_|ERR_|ZSTD_)/.test(code))) return cutOff;
  if (/^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING|ZSTD_)/.test(code))
    return badResponse('sent a body that cannot be decoded');
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return byCode[code] ?? byCode['EPROTO']!;
  const refusal = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (refusal !== undefined)
    return unreachable(
      `cannot be reached: the proxy answered ${refusal}`,
      'Check the URL of the proxy, and its user and password.',
      /^50[234]$/.test(refusal),
    );
  const known = byCode[code];
  // On a connection that was never established, nothing was sent.
  if (known !== undefined) return isConnecting(error) ? { ...known, unsent: true } : known;
  return unreachable('could not be queried', tryLater, false);
}

const askForLess =
  'Use a shorter range, fewer members or a smaller limit. If the query is already small, check the URL of the server.';

const partial: Failure = {
  code: 'partial-response',
  what: 'sent only a part of its response (206)',
  hint: 'Check the proxies and caches before the server: sluice did not ask for a part.',
  unsent: false,
  passing: false,
};

const tokenEchoed: Failure = {
  code: 'token-echoed',
  what: 'sent back your access token in its data, so the data is not used',
  hint:
    'Revoke this token and create a new one, since others may have read it there. ' +
    'Then check why the server, or a proxy before it, ' +
    'repeats tokens.',
  unsent: false,
  passing: false,
};

const cutOff: Failure = {
  code: 'response-cut-off',
  what: 'stopped in the middle of its response',
  hint: tryLater,
  unsent: false,
  passing: true,
};

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
  readonly code: SluiceErrorCode;
  readonly what: string;
  readonly hint: string;
}

const meanings: Readonly<Record<number, Meaning>> = {
  401: {
    code: 'unauthenticated',
    what: 'does not accept the token',
    hint: 'Check that the token is right and has not expired. Run `sluice doctor` to see its source.',
  },
  403: {
    code: 'forbidden',
    what: 'does not allow this',
    hint: 'Check the scope of the token, and the role of its user.',
  },
  404: {
    code: 'not-found',
    what: 'does not exist, or is not visible to this user',
    hint: 'Check its number or path. A proxy that changes %2F into a slash has the same effect.',
  },
  414: {
    code: 'address-too-long',
    what: 'rejected the URL as too long',
    hint: 'Use fewer or shorter parameters.',
  },
  429: { code: 'rate-limited', what: 'received too many requests', hint: 'Wait a while, and send fewer requests.' },
};

/** Converts a final error response to an error with the server's message. */
export async function toStatusError(response: HttpResponse): Promise<HttpError> {
  const { status, url, attempts, elapsedMs, strayed } = response;
  const other: Meaning =
    status >= 500
      ? { code: 'server-error', what: 'failed', hint: 'Try again later.' }
      : { code: 'refused-by-server', what: 'refused the request', hint: 'Check the response of the server.' };
  const { code, what, hint } = meanings[status] ?? other;
  const said = (await response.text()).trim();
  // The token was not sent to the other origin, which may be the only problem.
  const away = strayed
    ? ' The server redirected to another origin, which gets no token: ' +
      `is ${new URL(url).origin} the address to configure?`
    : '';
  return new HttpError(`${url} ${what} (${status})${said === '' ? '' : `: ${quote(said)}`}.`, {
    code,
    url,
    status,
    attempts,
    elapsedMs,
    hint: hint + away,
  });
}
