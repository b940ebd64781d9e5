import type { QueryParameters } from './query-string.ts';
import type { BodySieve } from './body-sieve.ts';

/** A client for one server. It handles retries, redirects and the rate limit. */
export interface HttpClient extends AsyncDisposable {
  /** The origin of the base address, e.g. `https://code.example.org`. Only this origin gets the token. */
  readonly origin: string;
  /**
   * Rejects with an `HttpError` if there is no complete response, and with an `AbortedError` if the signal fired. A
   * final 4xx or 5xx is a response (see `toStatusError`).
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Removes the token from a text in every spelling. For messages that quote a server. */
  redact(text: string): string;
}

export interface HttpRequest {
  readonly method: string;
  /**
   * A path below the base address, already encoded (see `encodePathParameter`), or a full URL. A URL of another origin
   * gets no token.
   */
  readonly path: string | URL;
  readonly query?: QueryParameters | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  /** Replaces `json`: a raw body, with its `content-type` in `headers`. */
  readonly body?: string | StreamedBody | undefined;
  /**
   * True if the body must stay at the base address. A redirect that would send it to another origin fails with
   * `redirected-away`.
   */
  readonly staysHome?: boolean | undefined;
  /**
   * True if the response is data, in which nothing can be redacted. A success that contains the token fails with
   * `token-echoed`, and any redirect to another origin with `redirected-away`.
   */
  readonly isData?: boolean | undefined;
  /** True if the request may be repeated although it may have been carried out. */
  readonly safe: boolean;
  /** Statuses that must not be retried, such as a 429 of a service behind the server. */
  readonly final?: readonly number[] | undefined;
  /** Maximum size of the decoded body of a success in bytes; defaults to 16 MB. */
  readonly maxBytes?: number | undefined;
  /**
   * The body of a success passes through the sieve, and its output becomes the response's body. The sieve restarts with
   * each try. If it rejects, so does the request.
   */
  readonly sieve?: BodySieve | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A body of known length, read again with each try. */
export interface StreamedBody {
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

/** A complete response with a decoded body. The token is redacted in its headers and its body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The response's address after redirects, without the query, for messages. */
  readonly url: string;
  /** The same address with the query. */
  readonly href: string;
  /** Number of tries without redirects, and total time in milliseconds. */
  readonly attempts: number;
  readonly elapsedMs: number;
  /** True if the request ended at another origin, and therefore without the token. */
  readonly strayed: boolean;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** Throws `not-json`, with a description of the response. */
  json(): Promise<unknown>;
}

export interface HttpHeaders {
  /** Case-insensitive. Several headers of one name are joined by commas. */
  get(name: string): string | undefined;
}
