/** Files that a page is made of, and what robots fetch: told by the end of the path. */
const assets = String.raw`(?i)\.(css|js|mjs|map|json|xml|txt|wasm|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp3|m4a|mp4|webm|ogg|wav|zip|gz|tgz|pdf)$`;

/** SQL expressions of what a server's log has of a request. */
interface Request {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly status: string;
}

/** The path of a request's target, which may also be a whole address. */
export function pathOfTarget(target: string): string {
  return `nullif(regexp_extract(${target}, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)', 1), '')`;
}

export function searchOfTarget(target: string): string {
  return `nullif(regexp_extract(${target}, '^[^?#]*(\\?[^#]+)', 1), '')`;
}

/**
 * The kind of event that a request is. A page view is a GET of something else than an asset that was answered with 2xx
 * or 304. No request is left out: the others are of the kinds `asset`, `redirect`, `error` and `request`.
 */
export function kindOfRequest({ method, target, status }: Request): string {
  return `CASE
    WHEN ${status} LIKE '4__' OR ${status} LIKE '5__' OR ${status} = '0' THEN 'error'
    WHEN ${status} LIKE '3__' AND ${status} <> '304' THEN 'redirect'
    WHEN ${status} NOT LIKE '2__' AND ${status} <> '304' OR upper(${method}) <> 'GET' OR ${method} IS NULL THEN 'request'
    WHEN regexp_matches(${pathOfTarget(target)}, '${assets}') THEN 'asset'
    ELSE 'pageview' END`;
}

/** A log knows no visitors: requests of one address and agent are those of one. */
export function visitorOf(address: string, agent: string): string {
  return `CASE WHEN ${address} <> '' THEN md5(${address} || ' ' || coalesce(${agent}, '')) END`;
}

export const derivedVisitor =
  'Visitors are identified by an unsalted hash of IP address and user agent: visitors with the same address and browser count as one.';
export const kindsOfRequest =
  'Page views are GET requests answered with 2xx or 304; others are kept as asset, redirect, error or request.';
