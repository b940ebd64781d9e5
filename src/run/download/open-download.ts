import { open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { AbortedError, BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import { quote, showText } from '../../ask/text.ts';
import { nameSource } from '../file/source-copy.ts';
import { decoded, demandPrivateWay, isHttp, parseAddress, showAddress } from '../http/address.ts';
import { type Credential, readCredential } from '../http/credential.ts';
import { openDispatcher } from '../http/open-sender.ts';
import { openRedactor } from '../http/redact.ts';
import { retryDelay } from '../http/retry-delay.ts';
import { failed, Interrupted } from './download-error.ts';
import { type Asked, type FetchOptions, fetchOnce, silenceMs } from './fetch-once.ts';
import {
  findKeptCopy,
  type KeptCopy,
  keepCopy,
  openPartialCopy,
  type PartialCopy,
  placeOf,
  releasePartialCopy,
} from './kept-copy.ts';

export interface DownloadOptions extends FetchOptions {
  /** The folder of the copies. Created if missing, readable only by its owner. */
  readonly folder: string;
}

/** Maximum number of consecutive tries without progress. */
const mostTries = 5;
/** Maximum wait before the next try. */
const longestDelayMs = 60_000;
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
interface DownloadedFile extends Pick<Asked, 'url' | 'toError'> {
  /** The token, sent only to the origin of the address. */
  readonly credential?: Credential | undefined;
}

/**
 * Downloads to a file, which appears complete or not at all. Resumes like `openDownload`, from data next to the file.
 * Errors: those of `openDownload` and of `toError`.
 */
export async function downloadTo(
  file: string,
  { url, credential, toError }: DownloadedFile,
  options: FetchOptions,
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
  options: FetchOptions,
  commit: Commit,
): Promise<string> {
  const part = await openPartialCopy(place);
  return fetchWhole(asked, kept, part, options, commit).catch(async (error: unknown) => {
    await releasePartialCopy(part).catch(() => undefined);
    await rmdir(place).catch(() => undefined);
    throw error;
  });
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

async function fetchWhole(
  asked: Asked,
  kept: KeptCopy | undefined,
  part: PartialCopy,
  options: FetchOptions,
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

/** Throws `bad-response` if the response is an HTML page instead of data. */
async function demandData(asked: Asked, part: PartialCopy, type: string): Promise<void> {
  await using handle = await open(part.file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
  const start = buffer.toString('latin1', 0, bytesRead).replace(/^(?:\u00ef\u00bb\u00bf)?\s*/, '');
  if (!/^<(?:!doctype|!--|html|head|body|\?xml)/i.test(start)) return;
  part.begin({ isStrong: false });
  throw failed(asked, {
    code: 'bad-response',
    what:
      'answered with a web page ' +
      `(${showText(type.split(';')[0]!.trim() || 'no content type').slice(0, 60)}), not with data`,
    hint: 'Open the address in a browser: it may ask you to sign in. Specify the address of the file itself.',
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
