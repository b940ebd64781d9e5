import { quote } from '../../ask/quote.ts';
import type { HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';

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
