import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { HttpError } from './http-error.ts';
import { type QueryParameters, toQueryString } from './query-string.ts';

/** Query parameters with tokens, which would end up in logs and histories. */
const tokenParameters = new Set(['private_token', 'access_token', 'job_token']);

/** The address of a server from the configuration, without a trailing slash. Throws `ConfigError` `bad-address`. */
export function readBaseAddress(text: string): URL {
  const url = parseAddress(text);
  const refuse = (reason: string, hint: string) =>
    new ConfigError(`The address ${quote(withoutSecrets(text))} cannot be used: ${reason}.`, {
      code: 'bad-address',
      hint,
    });
  if (url === undefined || !isHttp(url))
    throw refuse('it is not an http or https URL', 'Use a full URL, such as https://code.example.org.');
  if (holdsCredentials(url))
    throw refuse('it contains a credential', 'Remove the credential, and set a token in `SLUICE_TOKEN`.');
  if (url.search !== '' || url.hash !== '')
    throw refuse('it has a query or a fragment', 'Use only the URL of the server, such as https://code.example.org.');
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/**
 * Throws `ConfigError` `plain-http` if others on the network could read the request. `what`: name of the secret, for
 * messages.
 */
export function demandPrivateWay(url: URL, what: string): void {
  if (isPrivateWay(url)) return;
  throw new ConfigError(`${what} is not sent to ${url.host} over plain http, because others could read it.`, {
    code: 'plain-http',
    hint: 'Use an https:// address, or set `allowHttp: true` (SLUICE_ALLOW_HTTP=true) if you trust the network.',
  });
}

/** True if others on the network cannot read the request: it uses TLS or stays on this machine. */
export function isPrivateWay(url: URL): boolean {
  return url.protocol === 'https:' || /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}

/** The password in a proxy's address, empty if it has none. Throws `ConfigError` `bad-proxy`. */
export function readProxyPassword(text: string): string {
  const url = parseAddress(text);
  const password = url !== undefined && isHttp(url) ? decoded(url.password) : undefined;
  if (password !== undefined) return password;
  throw new ConfigError(`The address of the proxy, ${quote(withoutSecrets(text))}, cannot be used.`, {
    code: 'bad-proxy',
    hint: 'Use a full URL, such as http://proxy.example.org:3128.',
  });
}

/** Text without percent encoding; undefined if it is not encoded properly. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The address of a request. Throws `bad-address` if it leaves the base address or contains a credential. */
export function toAddress(base: URL, path: string | URL, query: QueryParameters = {}): URL {
  const root = base.pathname.replace(/\/$/, '');
  const url = path instanceof URL ? new URL(path) : new URL(`${base.origin}${root}/${path.replace(/^\/+/, '')}`);
  const added = toQueryString(query);
  if (added !== '') url.search = url.search === '' ? added : `${url.search}&${added}`;
  url.hash = '';
  const isBelow = path instanceof URL || url.pathname.startsWith(`${root}/`);
  if (!isBelow || !isHttp(url)) throw refuseAddress(url, 'it leads outside the URL of the server');
  if (holdsCredentials(url)) throw refuseAddress(url, 'it contains a credential');
  return url;
}

/** undefined if the text is not a complete URL. */
export function parseAddress(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export function isHttp(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

/** True if the URL contains a user, a password, or a query parameter named like a token. */
export function holdsCredentials(url: URL): boolean {
  return (
    url.username !== '' ||
    url.password !== '' ||
    [...url.searchParams.keys()].some((name) => tokenParameters.has(name.toLowerCase().replace(/\[.*/, '')))
  );
}

/** An address for messages, without user, password and query, which may be long and reveal the question. */
export function showAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//…@').replace(/\?.*/s, '?…');
}

function refuseAddress(url: URL, reason: string): HttpError {
  return new HttpError(`${showAddress(url)} was not requested: ${reason}.`, {
    code: 'bad-address',
    url: showAddress(url),
    hint: 'A token is only sent in a header, and only to its own server.',
  });
}

/** The address of a proxy, and the hosts that bypass it, in the format of `NO_PROXY`. */
export interface Proxy {
  readonly url: string;
  readonly except?: string | undefined;
}
