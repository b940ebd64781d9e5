// Without types of Node: programs that have none of them import these.

/** A request that is over. `path` is as the client sent it, without its parameters. */
export interface ServedRequest {
  /** `GET`, `POST`, … */
  readonly method: string;
  /** As the client sent it, without its parameters. */
  readonly path: string;
  /** 0: the client was gone before it was answered. */
  readonly status: number;
  /** Milliseconds from the request to the end of its answer. */
  readonly elapsedMs: number;
}

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:4000`, without a slash at its end. */
  readonly url: string;
  /** Takes no new requests, and resolves when those that are there have been answered. */
  drain(): Promise<void>;
  /** Cuts what is going on. */
  [Symbol.asyncDispose](): Promise<void>;
}
