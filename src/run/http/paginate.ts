import type { z } from 'zod';
import { quote } from '../../ask/quote.ts';
import type { SluiceError } from '../../ask/sluice-error.ts';
import { holdsCredentials, parseAddress } from './address.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { findLink } from './read-links.ts';
import { toStatusError } from './status-error.ts';

export interface PageOptions {
  /** Whether the next page is fetched while this one is being used. */
  readonly ahead?: boolean | undefined;
  /** The error for a response that is no success; `toStatusError` where not set. */
  readonly refuse?: ((response: HttpResponse) => SluiceError | Promise<SluiceError>) | undefined;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: URL | undefined;
}

/**
 * The items of a list of the platform, page after page; a page is fetched when its first item is asked for. Follows the
 * `next` links that the server gives, be they of offset or of keyset pagination, and never makes addresses of its own.
 * Errors: those of the client, `bad-page`, `bad-link`, `pages-in-a-circle`, `link-missing`.
 */
export async function* paginate<T>(client: HttpClient, request: HttpRequest, item: z.ZodType<T>, { ahead = false, refuse = toStatusError }: PageOptions = {}): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  const stop = new AbortController();
  const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
  const fetchPage = (asked: HttpRequest) => readPage(client, { ...asked, signal }, item, refuse, seen);

  let coming: Promise<Page<T>> | undefined = fetchPage(request);
  try {
    while (coming !== undefined) {
      const { items, next }: Page<T> = await coming;
      const nextRequest: HttpRequest | undefined = next && { ...request, path: next, query: undefined };
      coming = ahead && nextRequest !== undefined ? fetchPage(nextRequest) : undefined;
      // Its error is met when its turn comes; until then it must not count as unnoticed.
      coming?.catch(() => undefined);
      yield* items;
      coming ??= nextRequest && fetchPage(nextRequest);
    }
  } finally {
    stop.abort();
    await coming?.catch(() => undefined);
  }
}

async function readPage<T>(client: HttpClient, request: HttpRequest, item: z.ZodType<T>, refuse: (response: HttpResponse) => SluiceError | Promise<SluiceError>, seen: Set<string>): Promise<Page<T>> {
  const response = await client.request(request);
  const { url, status } = response;
  if (status < 200 || status > 299) throw await refuse(response);
  const body = await response.json();
  if (!Array.isArray(body)) throw new HttpError(`${url} answered with what is not a list.`, { code: 'bad-page', url, status, hint: 'Look at the address of the server, and at its version.' });
  seen.add(response.href);
  const items = body.map((value: unknown, index) => {
    const read = item.safeParse(value);
    if (read.success) return read.data;
    const place = [index, ...(read.error.issues[0]?.path ?? [])].map(String).join('.');
    throw new HttpError(`${url} answered with an item that is not as it should be: ${quote(place)}, ${quote(client.redact(read.error.issues[0]?.message ?? ''))}.`, {
      code: 'bad-page', url, status, hint: 'Look at the version of the server.',
    });
  });
  return { items, next: findNext(client, response, seen) };
}

/** Errors: `bad-link`, `pages-in-a-circle`, `link-missing`. */
function findNext(client: HttpClient, response: HttpResponse, seen: Set<string>): URL | undefined {
  const { url, status, headers } = response;
  const refuse = (code: string, reason: string, hint: string) => new HttpError(`${url} ${reason}.`, { code, url, status, hint });
  const target = findLink(headers.get('link'), 'next');
  if (target === undefined) {
    // A list that ends here for want of a header would be cut silently.
    if (!saysThereIsMore(headers)) return undefined;
    throw refuse('link-missing', 'says that there is another page, but not where', 'Something between here and the server drops its `Link` header.');
  }
  const next = parseAddress(target, new URL(response.href));
  if (next === undefined) throw refuse('bad-link', `names a next page that is no address: ${quote(target)}`, 'Look at the proxies before the server.');
  next.hash = '';
  if (next.origin !== client.origin) {
    throw refuse('bad-link', `names a next page at another origin, ${quote(next.origin)}, which gets no token`, 'If that is the same server, configure its address as the server knows it.');
  }
  if (holdsCredentials(next)) throw refuse('bad-link', 'names a next page whose address holds a credential', 'Look at the proxies before the server.');
  if (seen.has(client.redact(next.href))) throw refuse('pages-in-a-circle', 'names a next page that was read already', 'The list would have no end; this is a fault of the server.');
  return next;
}

function saysThereIsMore(headers: HttpResponse['headers']): boolean {
  const page = Number(headers.get('x-page') ?? Number.NaN);
  return /^\d+$/.test(headers.get('x-next-page') ?? '') || page < Number(headers.get('x-total-pages') ?? Number.NaN);
}
