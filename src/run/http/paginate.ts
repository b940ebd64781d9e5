import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { SluiceError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { holdsCredentials, parseAddress } from './address.ts';
import { toStatusError } from './failure.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';

interface PageOptions {
  /** True to fetch the next page while the current one is used. */
  readonly ahead?: boolean | undefined;
  /** Creates the error for a response that is not a success; defaults to `toStatusError`. */
  readonly refuse?: ((response: HttpResponse) => SluiceError | Promise<SluiceError>) | undefined;
}

/** Maximum number of pages: 100,000 items at the usual hundred per page. */
const mostPages = 1_000;
/** A list may have pages that are empty for this user, but hardly this many in a row. */
const mostEmptyPages = 10;

/** The state of reading a list. */
interface Progress {
  readonly addresses: Set<string>;
  /** Bodies of pages that are not empty. */
  readonly bodies: Set<string>;
  pages: number;
  emptyPages: number;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: URL | undefined;
}

/**
 * The items of a platform list, page by page. A page is fetched when its first item is requested. Follows the server's
 * `next` links for offset and keyset pagination, and never builds addresses itself. Errors: those of the client,
 * `bad-page`, `bad-link`, `pages-in-a-circle`, `too-many-pages`, `link-missing`.
 */
export async function* paginate<T>(
  client: HttpClient,
  request: HttpRequest,
  item: z.ZodType<T>,
  { ahead = false, refuse = toStatusError }: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  const progress: Progress = { addresses: new Set(), bodies: new Set(), pages: 0, emptyPages: 0 };
  const stop = new AbortController();
  const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
  const fetchPage = (asked: HttpRequest) => readPage(client, { ...asked, signal }, item, refuse, progress);

  let coming: Promise<Page<T>> | undefined = fetchPage(request);
  try {
    while (coming !== undefined) {
      const { items, next }: Page<T> = await coming;
      const nextRequest: HttpRequest | undefined = next && { ...request, path: next, query: undefined };
      coming = ahead && nextRequest !== undefined ? fetchPage(nextRequest) : undefined;
      // Its error is thrown when it is awaited; avoid an unhandled rejection until then.
      coming?.catch(() => undefined);
      yield* items;
      coming ??= nextRequest && fetchPage(nextRequest);
    }
  } finally {
    stop.abort();
    await coming?.catch(() => undefined);
  }
}

async function readPage<T>(
  client: HttpClient,
  request: HttpRequest,
  item: z.ZodType<T>,
  refuse: (response: HttpResponse) => SluiceError | Promise<SluiceError>,
  progress: Progress,
): Promise<Page<T>> {
  const response = await client.request(request);
  const { url, status } = response;
  if (status < 200 || status > 299) throw await refuse(response);
  const body = await response.json();
  if (!Array.isArray(body))
    throw new HttpError(`${url} returned a response that is not a list.`, {
      code: 'bad-page',
      url,
      status,
      hint: 'Check the URL of the server, and its version.',
    });
  progress.addresses.add(response.href);
  progress.pages += 1;
  progress.emptyPages = body.length === 0 ? progress.emptyPages + 1 : 0;
  const mark = hash('sha256', await response.bytes(), 'base64');
  if (body.length > 0 && progress.bodies.has(mark)) throw inCircle(response, 'returned the same page twice');
  progress.bodies.add(mark);
  const items = body.map((value: unknown, index) => {
    const read = item.safeParse(value);
    if (read.success) return read.data;
    const place = [index, ...(read.error.issues[0]?.path ?? [])].map(String).join('.');
    throw new HttpError(
      `${url} returned an invalid item: ${quote(place)}, ${quote(client.redact(read.error.issues[0]?.message ?? ''))}.`,
      {
        code: 'bad-page',
        url,
        status,
        hint: 'Check the version of the server.',
      },
    );
  });
  return { items, next: findNext(client, response, progress) };
}

/** Errors: `bad-link`, `pages-in-a-circle`, `too-many-pages`, `link-missing`. */
function findNext(
  client: HttpClient,
  response: HttpResponse,
  { addresses, pages, emptyPages }: Progress,
): URL | undefined {
  const { url, status, headers } = response;
  const refuse = (code: SluiceErrorCode, reason: string, hint: string) =>
    new HttpError(`${url} ${reason}.`, { code, url, status, hint });
  const target = findNextLink(headers.get('link'));
  if (target === undefined) {
    // Without this check, a missing header would silently truncate the list.
    if (!saysThereIsMore(headers)) return undefined;
    throw refuse(
      'link-missing',
      'says that there is another page, but not where',
      'Check the proxies before the server. One of them drops the `Link` header.',
    );
  }
  const next = parseAddress(target, new URL(response.href));
  if (next === undefined)
    throw refuse(
      'bad-link',
      `names a next page that is not a URL: ${quote(target)}`,
      'Check the proxies before the server.',
    );
  next.hash = '';
  if (next.origin !== client.origin) {
    throw refuse(
      'bad-link',
      `names a next page at another origin, ${quote(next.origin)}, which gets no token`,
      'If that is the same server, configure the URL that the server uses for itself.',
    );
  }
  if (holdsCredentials(next))
    throw refuse(
      'bad-link',
      'names a next page whose URL contains a credential',
      'Check the proxies before the server.',
    );
  if (addresses.has(client.redact(next.href))) throw inCircle(response, 'names a next page that was read already');
  const most = mostPagesOf(headers);
  if (pages >= most || emptyPages >= mostEmptyPages) {
    const empty = emptyPages >= mostEmptyPages ? `, the last ${emptyPages} of them empty` : '';
    const hint =
      'The list seems to have no end. Check the server and the proxies before it, or ask for a smaller group.';
    throw refuse('too-many-pages', `names another page after ${pages} pages${empty}`, hint);
  }
  return next;
}

function inCircle({ url, status }: HttpResponse, reason: string): HttpError {
  const hint = 'Report this fault of the server: its list has no end.';
  return new HttpError(`${url} ${reason}.`, { code: 'pages-in-a-circle', url, status, hint });
}

/** From the server's totals. The list may grow while it is read. */
function mostPagesOf(headers: HttpResponse['headers']): number {
  const read = (name: string) => (/^\d{1,9}$/.test(headers.get(name) ?? '') ? Number(headers.get(name)) : undefined);
  const items = read('x-total');
  const pages = items === undefined ? undefined : Math.ceil(items / (read('x-per-page') || 20));
  const told = read('x-total-pages') ?? pages;
  return told === undefined ? mostPages : Math.min(mostPages, 2 * told + 10);
}

function saysThereIsMore(headers: HttpResponse['headers']): boolean {
  const page = Number(headers.get('x-page') ?? Number.NaN);
  return /^\d+$/.test(headers.get('x-next-page') ?? '') || page < Number(headers.get('x-total-pages') ?? Number.NaN);
}

/** A link of a `Link` header. */
interface Link {
  /** Unresolved; may be relative. */
  readonly target: string;
  /** In lower case. */
  readonly relations: readonly string[];
  /** True if the link is not about the response. */
  readonly anchored: boolean;
}

/**
 * A parameter: a name, optionally with a token or a quoted text. Source: RFC 8288, 3, and its parsing in appendix B.
 */
const parameter = /[ \t]*;[ \t]*(?:([^\s=;,"<>]+)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?/y;
const start = /[ \t,]*<([^>]*)>/y;

/** The links of one or more `Link` headers, joined by commas. Everything after a fault is ignored. */
export function readLinks(header: string): readonly Link[] {
  const links: Link[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };

  for (let found = match(start); found !== null; found = match(start)) {
    let relations: string | undefined;
    let anchored = false;
    for (let pair = match(parameter); pair !== null; pair = match(parameter)) {
      const name = pair[1]?.toLowerCase();
      const value = pair[2]?.replace(/\\(.)/g, '$1') ?? pair[3] ?? '';
      // Only the first one counts (RFC 8288, 3.3).
      if (name === 'rel') relations ??= value;
      if (name === 'anchor') anchored = true;
    }
    links.push({
      target: found[1]!.trim(),
      relations: (relations ?? '')
        .toLowerCase()
        .split(/\s+/)
        .filter((relation) => relation !== ''),
      anchored,
    });
    if (!/^[ \t]*(?:,|$)/.test(header.slice(at, at + 100))) break;
  }
  return links;
}

/** The target of the response's link to the next page. */
export function findNextLink(header: string | undefined): string | undefined {
  return readLinks(header ?? '').find(({ relations, anchored }) => !anchored && relations.includes('next'))?.target;
}
