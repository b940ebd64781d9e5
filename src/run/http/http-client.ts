import type { QueryParameters } from './query-string.ts';
import type { BodySieve } from './body-sieve.ts';

/** Speaks with one server. Retries, redirects and the rate limit are seen to inside. */
export interface HttpClient extends AsyncDisposable {
  /** Of the base address, e.g. `https://code.example.org`: the only one that gets the token. */
  readonly origin: string;
  /**
   * Errors: an `HttpError` where there is no whole response, an `AbortedError` where the signal fired. A final 4xx or
   * 5xx is a response (see `toStatusError`).
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** A text without the token, in whatever spelling it stands there. For messages that quote what a server said. */
  redact(text: string): string;
}

export interface HttpRequest {
  readonly method: string;
  /**
   * Below the base address, already encoded (see `encodePathParameter`); or a whole address, which gets no token where
   * its origin is another.
   */
  readonly path: string | URL;
  readonly query?: QueryParameters | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  /** In place of `json`: a body as it is, whose `content-type` stands in the headers. */
  readonly body?: string | StreamedBody | undefined;
  /**
   * What is sent is for the base address alone: a redirect that would carry the body to another origin is an error,
   * `redirected-away`.
   */
  readonly staysHome?: boolean | undefined;
  /**
   * The answer to the body is data, in which nothing can be blotted out: a success that holds the token is an error,
   * `token-echoed`, and so is any redirect to another origin, `redirected-away`.
   */
  readonly isData?: boolean | undefined;
  /** Whether the request may be repeated where it is not known if it was carried out. */
  readonly safe: boolean;
  /** Statuses that another try does not change: a 429 of a service behind the server, say. */
  readonly final?: readonly number[] | undefined;
  /** Maximum size of the decoded body of a success in bytes. Default: 16 MB. */
  readonly maxBytes?: number | undefined;
  /**
   * The body of a success goes through it, and what it leaves is the response's. It begins anew with each try; what it
   * rejects with, the request does.
   */
  readonly sieve?: BodySieve | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A body of a known length, read piece by piece with each try. */
export interface StreamedBody {
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

/** A whole response: its body has been read and decoded. The token is blotted out in its headers and in its body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Where the response came from, after redirects; without the query, as messages show it. */
  readonly url: string;
  /** The same with the query. */
  readonly href: string;
  /** How often the request was sent, redirects not counted, and how long it all took. */
  readonly attempts: number;
  readonly elapsedMs: number;
  /** Whether the request ended at another origin, and so without the token. */
  readonly strayed: boolean;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** Error: `not-json`, with what came instead. */
  json(): Promise<unknown>;
}

export interface HttpHeaders {
  /** The name in any case; several headers of one name are joined by commas. */
  get(name: string): string | undefined;
}
