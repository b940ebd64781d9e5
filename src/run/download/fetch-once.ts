import { closeSync, openSync, writeSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { quote, showText } from '../../ask/text.ts';
import { type Proxy, showAddress } from '../http/address.ts';
import type { Clock } from '../http/clock.ts';
import type { openDispatcher } from '../http/open-sender.ts';
import { type Hop, isRedirect, nextHop } from '../http/redirect.ts';
import type { GetHeader } from '../http/retry-delay.ts';
import { toGetHeader } from '../http/send-once.ts';
import { failed, Interrupted, interruption, refused, type ShownAddress, tryLater } from './download-error.ts';
import type { DataVersion, KeptCopy, PartialCopy } from './kept-copy.ts';

export interface DownloadProgress {
  /** The address without credentials and query. */
  readonly address: string;
  readonly bytes: number;
  /** undefined if the server did not send it. */
  readonly totalBytes?: number | undefined;
  readonly isDone: boolean;
}

export interface FetchOptions {
  readonly clock: Clock;
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly proxyOf?: ((address: string) => Proxy | undefined) | undefined;
  readonly userAgent?: string | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly trace?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum silence of a server. */
export const silenceMs = 60_000;

interface DownloadRefusal {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  /** True if the response came from another origin. */
  readonly strayed: boolean;
}

/** An address to download from. */
export interface Asked extends ShownAddress {
  readonly url: URL;
  /** Headers that are only sent to the address's own origin. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Creates the error for a refusal, from the server's response. */
  readonly toError?: ((refusal: DownloadRefusal) => Promise<Error>) | undefined;
}

interface FetchTools {
  readonly kept: KeptCopy | undefined;
  readonly part: PartialCopy;
  readonly dispatcher: Awaited<ReturnType<typeof openDispatcher>>;
  readonly options: FetchOptions;
}

/** `again`: the partial data cannot be resumed and was removed. */
type Fetched = 'unchanged' | 'again' | { readonly type: string };

/** Requests the data once, or the rest of it, and adds what arrives to the partial copy. */
export async function fetchOnce(asked: Asked, tools: FetchTools): Promise<Fetched> {
  const { kept, part, options } = tools;
  const from = await part.bytes();
  const version = from > 0 ? await part.version() : undefined;
  const resumed = version && validatorOf(version);
  const conditions = resumed ? { range: `bytes=${from}-`, 'if-range': resumed } : kept && conditionsOf(kept.version);
  const { status, header, body, strayed } = await send(asked, conditions ?? {}, tools);
  const drop = () => body.on('error', () => undefined).destroy();
  const interrupted = (what: string, code: SluiceErrorCode = 'bad-response') =>
    new Interrupted({ what, code, hint: tryLater });
  if (status === 304 && kept && !resumed) {
    drop();
    return 'unchanged';
  }
  if (status !== 200 && status !== 206) {
    if (resumed && status === 416) {
      drop();
      part.begin({ isStrong: false });
      return 'again';
    }
    const isPassing = status === 429 || status >= 500;
    if (asked.toError && !isPassing)
      throw await asked.toError({ status, url: asked.shown, strayed, text: await readRefusal(body) });
    drop();
    throw refused(asked, status, header, options.clock.now());
  }
  const found = readVersion(header, status);
  if (status === 206) {
    if (!resumed || !isRest(header, from, version, found)) {
      drop();
      part.begin({ isStrong: false });
      if (resumed) return 'again';
      throw interrupted('sent only a part of the data');
    }
  } else {
    const encoding = header('content-encoding')?.trim().toLowerCase() ?? 'identity';
    if (!/^(?:|identity|x-gzip|gzip|zstd)$/.test(encoding)) {
      drop();
      throw failed(asked, {
        code: 'bad-response',
        what: `sent data compressed with ${quote(encoding)}, which was not requested`,
        hint: 'Download it (`curl --compressed -LO`), and specify the file.',
      });
    }
    part.begin(found);
  }
  const totalBytes = status === 206 ? (version?.bytes ?? found.bytes) : found.bytes;
  let bytes = status === 206 ? from : 0;
  await append(body, part.file, asked, options.signal, (more) => {
    bytes += more;
    options.onProgress?.({ address: asked.shown, bytes, totalBytes, isDone: false });
  });
  const written = await part.bytes();
  if (totalBytes !== undefined && written !== totalBytes) {
    if (written > totalBytes) part.begin({ isStrong: false });
    throw interrupted(`sent ${written} of ${totalBytes} bytes`, 'response-cut-off');
  }
  return { type: header('content-type') ?? '' };
}

/** Whether a partial response continues the data after `from` bytes, and the data is the same. */
function isRest(header: GetHeader, from: number, version: DataVersion | undefined, found: DataVersion): boolean {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header('content-range')?.trim() ?? '') ?? [];
  const agrees = <T>(known: T | undefined, given: T | undefined) =>
    known === undefined || given === undefined || known === given;
  return (
    Number(start) === from &&
    (total === '*' || agrees(version?.bytes, Number(total))) &&
    agrees(version?.etag, found.etag) &&
    agrees(version?.lastModified, found.lastModified)
  );
}

/** Writes synchronously, so that received bytes are not lost if the connection breaks. */
async function append(
  body: Readable,
  path: string,
  asked: Asked,
  signal: AbortSignal | undefined,
  onBytes: (count: number) => void,
): Promise<void> {
  const file = openSync(path, 'a', 0o600);
  const target = new Writable({
    write(piece: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
      } catch (error) {
        return done(error as Error);
      }
      onBytes(piece.length);
      done();
    },
  });
  try {
    await pipeline(body, target, { signal });
  } catch (error) {
    if (diskFaults.has(String((error as NodeJS.ErrnoException).code))) throw error;
    throw interruption(asked, error, 'body');
  } finally {
    closeSync(file);
  }
}

const diskFaults = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EACCES', 'EROFS']);

/** Maximum size of a refusal's text, which is only shown to users. */
const mostRefusalBytes = 64 * 1024;

/** The text of a refusal, or its beginning if it does not arrive in full. */
async function readRefusal(body: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > mostRefusalBytes) break;
    }
  } catch {
    // The status alone is enough.
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Follows redirects. Headers meant only for the address's origin are not sent elsewhere. */
async function send(asked: Asked, conditions: Readonly<Record<string, string>>, { dispatcher, options }: FetchTools) {
  const hops: Hop[] = [{ method: 'GET', url: asked.url, body: undefined }];
  let strayed = false;
  for (;;) {
    const { url } = hops.at(-1)!;
    strayed ||= url.origin !== asked.url.origin;
    options.trace?.(`GET ${showText(showAddress(url))}`);
    const response = await dispatcher
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: {
          accept: '*/*',
          'accept-encoding': 'identity',
          'user-agent': options.userAgent ?? 'sluice',
          ...conditions,
          ...(strayed ? {} : await asked.headers()),
        },
        signal: options.signal ?? null,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      })
      .catch((error: unknown) => {
        throw interruption(asked, error, 'head');
      });
    const header = toGetHeader(response.headers);
    const { statusCode: status, body } = response;
    options.trace?.(`  ${status}`);
    if (!isRedirect(status)) return { status, header, body, strayed };
    body.on('error', () => undefined).destroy();
    hops.push(nextHop(hops, status, header('location'), asked.redactor));
  }
}

/** Weak ETags, and a Last-Modified date within a second of the response, do not guarantee equal bytes. */
function readVersion(header: GetHeader, status: number): DataVersion {
  const etag = header('etag')?.trim();
  const lastModified = header('last-modified')?.trim();
  const isDated = Date.parse(header('date') ?? '') - Date.parse(lastModified ?? '') >= 1000;
  const length = status === 200 ? header('content-length')?.trim() : undefined;
  return {
    etag,
    lastModified,
    isStrong: etag === undefined ? isDated : /^"/.test(etag),
    bytes: length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
  };
}

function validatorOf({ etag, lastModified, isStrong }: DataVersion): string | undefined {
  return isStrong ? (etag ?? lastModified) : undefined;
}

function conditionsOf({ etag, lastModified }: DataVersion): Readonly<Record<string, string>> {
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}
