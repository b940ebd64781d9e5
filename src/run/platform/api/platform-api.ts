import type * as z from 'zod';
import type { Catalogue } from '../../../ask/platform/catalogue.ts';
import type { Operation, Started, States } from '../../../ask/platform/operation.ts';
import type { HttpHeaders } from '../../http/http-client.ts';

/** Options for calling an operation of the platform. */
export interface CallOptions {
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of an operation that starts an export or import, or returns its state. */
export interface FollowOptions extends CallOptions {
  /** Wait until the export or import is finished. The result is then its last state. */
  readonly follow?: boolean | undefined;
  /** Called with each state that `follow` sees: `queued`, `started`. */
  readonly onState?: ((state: string) => void) | undefined;
}

/** Options of an operation that returns a file. */
export interface DownloadCallOptions extends CallOptions {
  /** The file to write. It appears complete or not at all; the next call resumes an interrupted download. */
  readonly to: string;
  /** Called with the `bytes` so far. `totalBytes` is undefined if the server does not send it. */
  readonly onProgress?:
    | ((progress: { readonly bytes: number; readonly totalBytes?: number | undefined }) => void)
    | undefined;
}

/** A result with its response. Failures inside a success are listed and not thrown. */
export interface ApiResponse<T> {
  /** The result. */
  readonly data: T;
  /** The status of the response, such as 201. */
  readonly status: number;
  /** The headers of the response; `get` is case-insensitive. */
  readonly headers: HttpHeaders;
  /** The failures inside the success, one sentence each. */
  readonly failures: readonly string[];
}

/**
 * The result of an operation. Rejects with `InvalidInputError` for invalid parameters, `ApiError` if the platform
 * refuses, `ApiError` `partly-failed` for a success with failures inside, and `HttpError`.
 */
export interface Answering<T> extends Promise<T> {
  /** The result with the status and headers of its response. */
  withResponse(): Promise<ApiResponse<T>>;
}

/**
 * A list: `await` returns its first page, and `for await` iterates all items of all pages. Both throw like an
 * operation. Nothing is sent before.
 */
export interface Listing<T> extends PromiseLike<T[]>, AsyncIterable<T> {
  /** The first page with the status and headers of its response. */
  withResponse(): Promise<ApiResponse<T[]>>;
}

type Given<Asked extends Operation> = z.input<Asked['params']>;
type AnswerOf<Asked extends Operation> = z.output<Asked['answers'][keyof Asked['answers']] & z.ZodType>;
type ItemOf<Asked extends Operation> = AnswerOf<Asked> extends readonly (infer Item)[] ? Item : never;

type OptionsOf<Asked extends Operation> = Asked extends { readonly states: States } | { readonly starts: Started }
  ? FollowOptions
  : CallOptions;

type Arguments<Asked extends Operation> =
  Record<never, never> extends Given<Asked>
    ? [given?: Given<Asked>, options?: OptionsOf<Asked>]
    : [given: Given<Asked>, options?: OptionsOf<Asked>];

/** The call of an operation, typed by its definition. If the definition has `download`, it writes a file. */
type ApiCall<Asked extends Operation> = Asked extends { readonly download: string }
  ? (given: Given<Asked>, options: DownloadCallOptions) => Promise<void>
  : (
      ...given: Arguments<Asked>
    ) => Asked extends { readonly pagination: 'offset' } ? Listing<ItemOf<Asked>> : Answering<AnswerOf<Asked>>;

/**
 * Every operation of the platform's API: `platform.milestones.list({id: 'acme/shop'})`. The type of one of them is
 * `PlatformApi['milestones']['list']`.
 */
export type PlatformApi = {
  readonly [R in keyof Catalogue]: {
    readonly [O in keyof Catalogue[R]]: Catalogue[R][O] extends Operation ? ApiCall<Catalogue[R][O]> : never;
  };
};
