import { closeSync, openSync, writeSync } from 'node:fs';
import { open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { AbortedError, BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import { quote, showText } from '../../ask/text.ts';
import { nameSource } from '../file/source-copy.ts';
import { decoded, demandPrivateWay, isHttp, parseAddress, type Proxy, showAddress } from '../http/address.ts';
import type { Clock } from '../http/clock.ts';
import { type Credential, readCredential } from '../http/credential.ts';
import { toFailure } from '../http/failure.ts';
import { HttpError } from '../http/http-error.ts';
import { openDispatcher } from '../http/open-sender.ts';
import { openRedactor, type Redactor } from '../http/redact.ts';
import { type Hop, isRedirect, nextHop } from '../http/redirect.ts';
import { type GetHeader, readNamedDelay, retryDelay } from '../http/retry-delay.ts';
import { toGetHeader } from '../http/send-once.ts';
import {
  type DataVersion,
  findKeptCopy,
  type KeptCopy,
  keepCopy,
  openPartialCopy,
  type PartialCopy,
  placeOf,
  releasePartialCopy,
} from './kept-copy.ts';

export interface DownloadProgress {
  /** The address without credentials and query. */
  readonly address: string;
  readonly bytes: number;
  /** undefined if the server did not send it. */
  readonly totalBytes?: number | undefined;
  readonly isDone: boolean;
}

export interface DownloadOptions {
  /** The folder of the copies. Created if missing, readable only by its owner. */
  readonly folder: string;
  readonly clock: Clock;
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly proxyOf?: ((address: string) => Proxy | undefined) | undefined;
  readonly userAgent?: string | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly trace?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of consecutive tries without progress. */
const mostTries = 5;
/** Maximum wait before the next try. */
const longestDelayMs = 60_000;
/** Maximum silence of a server. */
const silenceMs = 60_000;

/**
 * Downloads the data at addresses and returns paths of copies. Reuses a copy if the server says that it is current
 * (ETag, Last-Modified). Resumes a broken download if the data did not change, also in a later process. Sends no tokens
 * or cookies, and a user and password in the address only to its own origin. Errors: `bad-address`, `plain-http`,
 * `HttpError`, `AbortedError`, and system errors.
 */
export function openDownload(options: DownloadOptions): (address: string) => Promise<string> {
  return async (address) => {
    const asked = readSource(address);
    const place = placeOf(options.folder, address);
    const kept = await findKeptCopy(place);
    const file = await fetchInto(place, asked, kept, options, (part, type) =>
      keepCopy(place, part, nameOf(asked.url), type),
    );
    nameSource(file, asked.shown);
    return file;
  };
}

/** A file on a server that requires a token. */
interface DownloadedFile {
  readonly url: URL;
  /** The token, sent only to the origin of the address. */
  readonly credential?: Credential | undefined;
  /** Creates the error for a refusal, from the server's response. */
  readonly toError?: ((refusal: DownloadRefusal) => Promise<Error>) | undefined;
}

interface DownloadRefusal {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  /** True if the response came from another origin. */
  readonly strayed: boolean;
}

/**
 * Downloads to a file, which appears complete or not at all. Resumes like `openDownload`, from data next to the file.
 * Errors: those of `openDownload` and of `toError`.
 */
export async function downloadTo(
  file: string,
  { url, credential, toError }: DownloadedFile,
  options: Omit<DownloadOptions, 'folder'>,
): Promise<void> {
  const redactor = openRedactor();
  const headers = async (): Promise<Readonly<Record<string, string>>> => {
    if (credential === undefined) return {};
    const { name, value, token } = await readCredential(credential);
    redactor.learn(token);
    return { [name]: value };
  };
  const asked = { url, shown: showText(showAddress(url)), headers, redactor, toError };
  const place = placeOf(path.dirname(file), url.href, `.${path.basename(file)}.`);
  await fetchInto(place, asked, undefined, options, async (part) => {
    await rename(part.file, file);
    await rm(place, { recursive: true, force: true });
    return file;
  });
}

/** Moves the downloaded data to its place. `type`: content type of the response. */
type Commit = (part: PartialCopy, type: string) => Promise<string>;

async function fetchInto(
  place: string,
  asked: Asked,
  kept: KeptCopy | undefined,
  options: Surroundings,
  commit: Commit,
): Promise<string> {
  const part = await openPartialCopy(place);
  return fetchWhole(asked, kept, part, options, commit).catch(async (error: unknown) => {
    await releasePartialCopy(part).catch(() => undefined);
    await rmdir(place).catch(() => undefined);
    throw error;
  });
}

type Surroundings = Omit<DownloadOptions, 'folder'>;

interface Asked extends Pick<DownloadedFile, 'url' | 'toError'> {
  /** The address without credentials and query. */
  readonly shown: string;
  /** Headers that are only sent to the address's own origin. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly redactor: Redactor;
}

function readSource(address: string): Asked {
  const url = parseAddress(address);
  if (url === undefined || !isHttp(url)) {
    throw new BackendError(`${quote(address.replace(/\/\/[^/]*@/, '//').replace(/[?#].*/s, ''))} is not a URL.`, {
      code: 'bad-address',
      hint: 'Use a full URL, such as https://host/events.csv.',
    });
  }
  const [user, password] = [url.username, url.password].map((text) => decoded(text) ?? text) as [string, string];
  const hasUser = user !== '' || password !== '';
  if (hasUser) demandPrivateWay(url, 'The password of the address');
  url.username = '';
  url.password = '';
  url.hash = '';
  return {
    url,
    shown: showText(showAddress(url)),
    headers: async (): Promise<Readonly<Record<string, string>>> =>
      hasUser ? { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` } : {},
    redactor: openRedactor(...(password === '' ? [] : [password])),
  };
}

/** What happened, as the end of a sentence that begins with the address. */
interface Fault {
  readonly code: SluiceErrorCode;
  readonly what: string;
  readonly hint: string;
  readonly status?: number;
}

/** A failure that a retry may fix. */
class Interrupted extends Error {
  readonly failure: Fault;
  /** Delay in milliseconds that the server asks for. */
  readonly delay: number | undefined;

  constructor(failure: Fault, delay?: number, cause?: unknown) {
    super(failure.what, { cause });
    this.failure = failure;
    this.delay = delay;
  }
}

async function fetchWhole(
  asked: Asked,
  kept: KeptCopy | undefined,
  part: PartialCopy,
  options: Surroundings,
  commit: Commit,
): Promise<string> {
  const { clock, random, signal, onProgress, proxyOf } = options;
  const dispatcher = await openDispatcher({
    timeoutMs: silenceMs,
    connections: 1,
    proxy: proxyOf?.(asked.url.href),
  });
  let most = await part.bytes();
  try {
    for (let attempt = 1; ; attempt += 1) {
      throwIfAborted(signal);
      try {
        const answer = await fetchOnce(asked, {
          kept,
          part,
          dispatcher,
          options,
        });
        if (answer === 'unchanged') {
          await releasePartialCopy(part);
          return kept!.file;
        }
        if (answer === 'again') continue;
        await demandData(asked, part, answer.type);
        return await commit(part, answer.type);
      } catch (error) {
        if (signal?.aborted) throw new AbortedError(signal.reason);
        if (!(error instanceof Interrupted)) throw error;
        const got = await part.bytes();
        if (got > most) attempt = 1;
        most = Math.max(most, got);
        if (attempt >= mostTries || (error.delay ?? 0) > longestDelayMs)
          throw failed(asked, error.failure, error.cause);
        const delay = retryDelay(attempt, random(), error.delay);
        options.trace?.(`  ${error.failure.what}; again in ${Math.round(delay)} ms`);
        await clock.sleep(delay, signal);
      }
    }
  } finally {
    await dispatcher.destroy();
    onProgress?.({
      address: asked.shown,
      bytes: await part.bytes(),
      isDone: true,
    });
  }
}

interface FetchTools {
  readonly kept: KeptCopy | undefined;
  readonly part: PartialCopy;
  readonly dispatcher: Awaited<ReturnType<typeof openDispatcher>>;
  readonly options: Surroundings;
}

/** `again`: the partial data cannot be resumed and was removed. */
type Fetched = 'unchanged' | 'again' | { readonly type: string };

async function fetchOnce(asked: Asked, tools: FetchTools): Promise<Fetched> {
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
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header('content-range')?.trim() ?? '');
    const isNext =
      resumed !== undefined &&
      Number(range?.[1]) === from &&
      (range?.[2] === '*' || version?.bytes === undefined || Number(range?.[2]) === version.bytes) &&
      (found.etag === undefined || version?.etag === undefined || found.etag === version.etag) &&
      (found.lastModified === undefined ||
        version?.lastModified === undefined ||
        found.lastModified === version.lastModified);
    if (!isNext) {
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
  const file = openSync(part.file, 'a', 0o600);
  // Write synchronously, so that received bytes are not lost if the connection breaks.
  const target = new Writable({
    write(piece: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
      } catch (error) {
        return done(error as Error);
      }
      bytes += piece.length;
      options.onProgress?.({
        address: asked.shown,
        bytes,
        totalBytes,
        isDone: false,
      });
      done();
    },
  });
  try {
    await pipeline(body, target, { signal: options.signal });
  } catch (error) {
    if (diskFaults.has(String((error as NodeJS.ErrnoException).code))) throw error;
    throw interruption(asked, error, 'body');
  } finally {
    closeSync(file);
  }
  const written = await part.bytes();
  if (totalBytes !== undefined && written !== totalBytes) {
    if (written > totalBytes) part.begin({ isStrong: false });
    throw interrupted(`sent ${written} of ${totalBytes} bytes`, 'response-cut-off');
  }
  return { type: header('content-type') ?? '' };
}

const tryLater = 'Try again later. The download is resumed if the data did not change.';

const diskFaults = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EACCES', 'EROFS']);

/** The error to throw for a failed request or response. */
function interruption(asked: Asked, error: unknown, phase: 'head' | 'body'): Error {
  const failure = toFailure(error, phase);
  if (failure.passing) return new Interrupted({ ...failure, hint: tryLater }, undefined, error);
  return failed(asked, failure, error);
}

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

/** Throws `bad-response` if the response is an HTML page instead of data. */
async function demandData(asked: Asked, part: PartialCopy, type: string): Promise<void> {
  await using handle = await open(part.file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
  const start = buffer.toString('latin1', 0, bytesRead).replace(/^(?:\u00ef\u00bb\u00bf)?\s*/, '');
  if (!/^<(?:!doctype|!--|html|head|body|\?xml)/i.test(start)) return;
  part.begin({ isStrong: false });
  throw failed(asked, {
    code: 'bad-response',
    what: `answered with a web page (${showText(type.split(';')[0]!.trim() || 'no content type').slice(0, 60)}), not with data`,
    hint: 'Open the address in a browser: it may ask you to sign in. Specify the address of the file itself.',
  });
}

function refused(asked: Asked, status: number, header: GetHeader, now: number): unknown {
  const fault = (code: SluiceErrorCode, what: string, hint: string) =>
    failed(asked, { code, what: `${what} (${status})`, hint, status });
  if (status === 429 || status >= 500) {
    return new Interrupted(
      {
        code: status === 429 ? 'rate-limited' : 'server-error',
        what: status === 429 ? `received too many requests (${status})` : `failed (${status})`,
        hint: tryLater,
        status,
      },
      readNamedDelay(status, header, now),
    );
  }
  if (status === 401 || status === 403 || status === 407)
    return fault(
      'forbidden',
      'does not allow this',
      'Download the file yourself, and specify it. sluice sends no tokens or cookies.',
    );
  if (status === 404 || status === 410) return fault('not-found', 'does not exist', 'Correct the address.');
  return fault('refused-by-server', 'refused the request', 'Open the address in a browser to see why.');
}

function failed({ shown, redactor }: Asked, { code, what, hint, status }: Fault, cause?: unknown): HttpError {
  return new HttpError(`${shown} ${redactor.redact(what)}.`, {
    code,
    url: shown,
    status,
    hint,
    cause: redactor.redactError(cause),
  });
}

/** The last part of an address as a file name. */
function nameOf({ pathname }: URL): string {
  const last = path.posix.basename(pathname);
  const name = (decoded(last) ?? last)
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[._]+/, '')
    .slice(-100);
  return name === '' || name === 'about.json' || name.startsWith(partName) ? `data-${name}` : name;
}

const partName = 'part-';
