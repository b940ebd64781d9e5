import type * as z from 'zod';
import { catalogue } from '../../../ask/platform/catalogue.ts';
import { type Operation, failuresInside, readParameters } from '../../../ask/platform/operation.ts';
import { secretsIn } from '../../../ask/platform/parameter.ts';
import { showText } from '../../../ask/text.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import type { Clock } from '../../http/clock.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../http/http-client.ts';
import { HttpError } from '../../http/http-error.ts';
import { paginate } from '../../http/paginate.ts';
import { hideTexts, partlyFailed, toApiError } from './api-error.ts';
import { followStates } from './follow-states.ts';
import type {
  Answering,
  ApiResponse,
  CallOptions,
  DownloadCallOptions,
  FollowOptions,
  Listing,
  PlatformApi,
} from './platform-api.ts';
import { toApiRequest } from './to-api-request.ts';
import { type DownloadOptions, downloadTo } from '../../download/open-download.ts';
import { toAddress } from '../../http/address.ts';
import type { Credential } from '../../http/credential.ts';

export interface ApiService {
  /** A client for the platform's address, with the token. It stays open. */
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly download: Downloader;
}

/** The platform's operations, called with its own client. */
export function openPlatformApi(service: ApiService): PlatformApi {
  const resources = Object.entries(catalogue).map(([name, resource]) => [
    name,
    Object.fromEntries(
      Object.entries(resource as Readonly<Record<string, Operation>>).map(([key, asked]) => [
        key,
        toCall(service, asked),
      ]),
    ),
  ]);
  return Object.fromEntries(resources) as PlatformApi;
}

function toCall(service: ApiService, asked: Operation) {
  if (asked.download !== undefined)
    return (given: unknown, options: DownloadCallOptions) => downloadOperation(service, asked, given, options);
  return (given: unknown = {}, options: CallOptions & FollowOptions = {}) =>
    asked.pagination === undefined
      ? toAnswering(runOperation(service, asked, given, options))
      : toListing(service, asked, given, options.signal);
}

/**
 * Calls an operation; with `follow`, also waits until the export or import that it starts is finished. Errors: those of
 * `callOperation`.
 */
export async function runOperation(
  service: ApiService,
  asked: Operation,
  given: unknown,
  { signal, follow = false, onState }: FollowOptions,
): Promise<CalledOperation> {
  const called = await callOperation(service, asked, given, signal);
  if (!follow || called.failures.length > 0) return called;
  return followStates(asked, given, called, {
    clock: service.clock,
    call: (status, by) => callOperation(service, status, by, signal),
    list: (status, by) => listAll(service, status, by, signal),
    onState,
    signal,
  });
}

/** Writes the file that an operation returns. Errors: those of `callOperation`, and of `downloadTo`. */
export async function downloadOperation(
  service: ApiService,
  asked: Operation,
  given: unknown,
  options: DownloadCallOptions,
): Promise<void> {
  if (typeof (options as Partial<DownloadCallOptions> | undefined)?.to !== 'string') {
    const message = 'The operation returns a file, and no output path was specified.';
    throw new InvalidInputError(message, [errorIssue('missing-key', message, { path: ['to'] })], {
      hint: "Add the option `to`: `{to: 'project.tar.gz'}`.",
    });
  }
  const { request, hide } = await prepare(service, asked, given, options.signal);
  await downloadAnswer(service.download, asked, request, hide, options);
}

/** A prepared call: its request, and a function that redacts its secrets. */
interface Prepared {
  readonly request: HttpRequest;
  readonly hide: (text: string) => string;
}

async function prepare(
  { random }: ApiService,
  asked: Operation,
  given: unknown,
  signal: AbortSignal | undefined,
): Promise<Prepared> {
  const read = readParameters(asked, given);
  if (!read.ok) {
    const [{ message, path, hint } = { message: '', path: [] }] = read.issues;
    const place = path.length === 0 ? '' : `${path.join('.')}: `;
    throw new InvalidInputError(showText(`${place}${message}`), read.issues, { hint });
  }
  return {
    request: { ...(await toApiRequest(asked, read.value, random)), signal },
    hide: hideTexts(secretsIn(asked.params, read.value)),
  };
}

/** A result with its response and address. */
interface CalledOperation extends ApiResponse<unknown> {
  readonly url: string;
}

/**
 * Calls one operation and returns its result with its response. Errors: those of `Answering`, except for failures
 * inside a success.
 */
export async function callOperation(
  service: ApiService,
  asked: Operation,
  given: unknown,
  signal?: AbortSignal,
): Promise<CalledOperation> {
  const { request, hide } = await prepare(service, asked, given, signal);
  const response = await service.http.request(request);
  const data = await readAnswer(asked, response, hide);
  const { status, headers, url } = response;
  return {
    data,
    status,
    headers,
    url: hide(url),
    failures: failuresInside(asked, data).map((text) => showText(hide(text))),
  };
}

async function readAnswer(asked: Operation, response: HttpResponse, hide: (text: string) => string): Promise<unknown> {
  const { status } = response;
  const isSuccess = status >= 200 && status < 300;
  const schema = asked.answers[status] ?? (isSuccess ? Object.values(asked.answers)[0] : undefined);
  if (schema === undefined) throw await toApiError(asked, response, hide);
  // An empty result is recognised by its status.
  if (!isSuccess || schema.safeParse(null).success) {
    const text = isSuccess ? (await response.text()).trim() : '';
    return text === '' || schema.def.type === 'null' ? null : readBody(schema, await response.json(), response);
  }
  const body = await response.json();
  const { error_code: code } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code === 'string') throw await toApiError(asked, response, hide);
  return readBody(schema, body, response);
}

function readBody(schema: z.ZodType, body: unknown, { url, status }: HttpResponse): unknown {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const place = read.error.issues[0]?.path.map(String).join('.') || 'the body';
  throw new HttpError(`${url} returned an unexpected response: ${showText(place)} has another type.`, {
    code: 'bad-response',
    url,
    status,
    hint: 'Check the URL and the version of the server.',
  });
}

function toAnswering(sent: ReturnType<typeof callOperation>): Answering<unknown> {
  const answer = sent.then(({ data, failures, status, url }) => {
    if (failures.length > 0) throw partlyFailed(url, status, failures, data);
    return data;
  });
  return Object.assign(answer, {
    withResponse: () => {
      // From here on the caller handles its failure.
      answer.catch(() => undefined);
      return sent;
    },
  });
}

/** Page size for reading all items. */
const largestPage = 100;

function toListing(
  service: ApiService,
  asked: Operation,
  given: unknown,
  signal: AbortSignal | undefined,
): Listing<unknown> {
  const first = () => callOperation(service, asked, given, signal) as Promise<ApiResponse<unknown[]>>;
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page.
    then: (done, failed) =>
      first()
        .then(({ data }) => data)
        .then(done, failed),
    withResponse: first,
    [Symbol.asyncIterator]: () => listAll(service, asked, given, signal),
  };
}

/** All items of all pages. Errors: those of `callOperation`. */
export async function* listAll(service: ApiService, asked: Operation, given: unknown, signal?: AbortSignal) {
  const { request, hide } = await prepare(service, asked, given, signal);
  const { element } = Object.values(asked.answers)[0] as z.ZodArray;
  yield* paginate(
    service.http,
    { ...request, query: { per_page: largestPage, ...request.query } },
    element as z.ZodType,
    {
      refuse: (response) => toApiError(asked, response, hide),
    },
  );
}

/** What a download needs in addition to its request. */
interface Downloader extends Omit<DownloadOptions, 'folder' | 'onProgress' | 'signal'> {
  /** The platform's base address. */
  readonly base: URL;
  readonly credential?: Credential | undefined;
}

/** Writes the response to a request to a file. Errors: `ApiError` for a refusal, and those of `downloadTo`. */
function downloadAnswer(
  { base, credential, ...options }: Downloader,
  asked: Operation,
  { path, query }: HttpRequest,
  hide: (text: string) => string,
  { to, signal, onProgress }: DownloadCallOptions,
): Promise<void> {
  const toError = ({ text, ...facts }: { status: number; url: string; text: string; strayed: boolean }) =>
    toApiError(asked, { ...facts, attempts: 1, elapsedMs: 0, text: async () => text }, hide);
  return downloadTo(
    to,
    { url: toAddress(base, path, query), credential, toError },
    {
      ...options,
      signal,
      onProgress: ({ isDone, bytes, totalBytes }) => {
        if (!isDone) onProgress?.({ bytes, totalBytes });
      },
    },
  );
}
