/** Extensions of static files and of files that robots fetch. */
const assets = String.raw`(?i)\.(css|js|mjs|map|json|xml|txt|wasm|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp3|m4a|mp4|webm|ogg|wav|zip|gz|tgz|pdf)$`;

/** SQL expressions for the request in a server log. */
interface Request {
  readonly method: string;
  /** Includes the query string. */
  readonly target: string;
  readonly status: string;
}

/** The path of a request's target, which may also be a full URL. */
export function pathOfTarget(target: string): string {
  return `nullif(regexp_extract(${target}, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)', 1), '')`;
}

/** A host without its port. */
export function hostWithoutPort(host: string): string {
  return `regexp_extract(${host}, '^([^:]+)', 1)`;
}

export function searchOfTarget(target: string): string {
  return `nullif(regexp_extract(${target}, '^[^?#]*(\\?[^#]+)', 1), '')`;
}

/**
 * The event type of a request. A page view is a GET answered with 2xx or 304 whose target is not an asset. All other
 * requests are kept as `asset`, `redirect`, `error` or `request`.
 */
export function kindOfRequest({ method, target, status }: Request): string {
  return `CASE
    WHEN ${status} LIKE '4__' OR ${status} LIKE '5__' OR ${status} = '0' THEN 'error'
    WHEN ${status} LIKE '3__' AND ${status} <> '304' THEN 'redirect'
    WHEN ${status} NOT LIKE '2__' AND ${status} <> '304' OR upper(${method}) <> 'GET' OR ${method} IS NULL THEN 'request'
    WHEN regexp_matches(${pathOfTarget(target)}, '${assets}') THEN 'asset'
    ELSE 'pageview' END`;
}

/** Logs do not identify visitors, so requests with the same address and agent count as one visitor. */
export function visitorOf(address: string, agent: string): string {
  return `CASE WHEN ${address} <> '' THEN md5(${address} || ' ' || coalesce(${agent}, '')) END`;
}

export const derivedVisitor =
  'Visitors are identified by an unsalted hash of IP address and user agent: ' +
  'visitors with the same address and browser count as one.';
export const kindsOfRequest =
  'Page views are GET requests answered with 2xx or 304; others are kept as asset, redirect, error or request.';
