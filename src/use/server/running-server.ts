// Must not import types of Node, because programs without them import this file.

/** A finished request. */
export interface ServedRequest {
  /** `GET`, `POST`, … */
  readonly method: string;
  /** The path as the client sent it, without query parameters. */
  readonly path: string;
  /** HTTP status; 0 if the client disconnected before it was answered. */
  readonly status: number;
  /** Milliseconds from the request to the end of its answer. */
  readonly elapsedMs: number;
}

export interface RunningServer extends AsyncDisposable {
  /** URL without a trailing slash: `http://127.0.0.1:4000`. */
  readonly url: string;
  /** Accepts no new requests. Resolves when the current ones have been answered. */
  drain(): Promise<void>;
  /** Aborts running requests. */
  [Symbol.asyncDispose](): Promise<void>;
}
