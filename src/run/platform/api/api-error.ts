import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import type { Operation, Role } from '../../../ask/platform/operation.ts';
import type { SluiceError } from '../../../ask/sluice-error.ts';
import { plural } from '../../../ask/text.ts';
import { blotOut } from '../../http/redact.ts';
import { openSecretFinder } from '../../http/secret-finder.ts';
import type { HttpResponse } from '../../http/http-client.ts';
import { ApiError } from '../../http/http-error.ts';
import { readServerWords } from '../../load/server-words.ts';
import { withAway, withWords } from '../../load/service-error.ts';
import { captchaError } from '../platform-error.ts';

/** Redacts the secrets of one request, which the server's message may repeat. */
export function hideTexts(secrets: readonly string[]): (text: string) => string {
  if (secrets.length === 0) return (text) => text;
  const finder = openSecretFinder(secrets);
  return (text) => blotOut(text, finder, '…');
}

const meanings: Readonly<Record<number, readonly [code: SluiceErrorCode, what: string, hint: string]>> = {
  401: ['token-refused', 'does not accept the token', 'Run `sluice doctor` to see its source.'],
  403: ['forbidden', 'does not allow this', 'Check the scope of the token, and the role of its user.'],
  404: [
    'not-found',
    'does not exist, or is not visible to this user',
    'Check the numbers and names. A proxy that changes %2F into a slash has the same effect.',
  ],
  409: ['conflict', 'refuses the request because of a conflict', 'Resolve the conflict first.'],
  412: ['precondition-failed', 'refuses the request, because it changed meanwhile', 'Read the current state first.'],
  414: ['address-too-long', 'rejected the URL as too long', 'Use fewer or shorter parameters.'],
  429: ['rate-limited', 'received too many requests', 'Wait a while, and send fewer requests.'],
  503: ['server-overloaded', 'is overloaded or under maintenance', 'Try again later.'],
};

const roles: Readonly<Record<Role, string>> = {
  reporter: 'at least the Reporter role',
  maintainer: 'at least the Maintainer role',
  owner: 'the Owner role, or an administrator',
  administrator: 'an administrator of the instance',
};

/** The error for a response that is not the operation's result. `hide` redacts the secrets of the request. */
export async function toApiError(
  asked: Operation,
  response: Pick<HttpResponse, 'status' | 'attempts' | 'elapsedMs' | 'strayed' | 'url' | 'text'>,
  hide: (text: string) => string,
): Promise<SluiceError> {
  const { status, attempts, elapsedMs, strayed } = response;
  const url = hide(response.url);
  const text = hide(await response.text());
  const words = readServerWords(text, hide);
  const refusal = { status, words, url, strayed };
  if (words.fields['needs_captcha_response'] === true) return captchaError(refusal, new URL(response.url).host);
  const isConflict = words.fields['error_code'] === 'conflict';
  const [code, what, hint] = isConflict
    ? meanings[409]!
    : (meanings[status] ??
      (status >= 500
        ? (['server-error', 'failed', 'Try again later.'] as const)
        : (['request-refused', 'refuses the request', 'Correct the parameters that the server names.'] as const)));
  // A first try may have been carried out, so that the second finds the target gone.
  const again =
    attempts > 1 && asked.method !== 'GET'
      ? ' An earlier try may have been carried out: check before you repeat it.'
      : '';
  return new ApiError(withWords(`${url} ${what} (${status})`, refusal), {
    code,
    url,
    status,
    attempts,
    elapsedMs,
    hint: withAway(`${hint}${rightsHint(asked, status)}${again}`, refusal),
    body: words.kind === 'json' ? words.fields : undefined,
  });
}

/** The requirements of the operation, if missing rights may be the reason. */
function rightsHint({ role, scopes, tier, selfManaged }: Operation, status: number): string {
  if (status !== 401 && status !== 403 && status !== 404) return '';
  const needs = [
    ...(role === undefined ? [] : [roles[role]]),
    ...(scopes === undefined ? [] : [`a token with the scope ${scopes.join(' or ')}`]),
    ...(tier === undefined ? [] : [tier === 'top' ? 'the highest tier' : 'a paid tier']),
    ...(selfManaged ? ['a self-managed instance'] : []),
  ];
  return needs.length === 0 ? '' : ` The operation requires ${needs.join(', and ')}.`;
}

/** The error for a success that lists failures. */
export function partlyFailed(url: string, status: number, failures: readonly string[], body: unknown): ApiError {
  const count = failures.length;
  return new ApiError(`${url} reports ${count} ${plural(count, 'failure', 'failures')}: ${failures.join('; ')}`, {
    code: 'partly-failed',
    url,
    status,
    failures,
    body,
    hint: 'Everything else was carried out. Correct the failed parts, and send only those again.',
  });
}
