/** The time, handed in, so that tests need not wait. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects with `AbortedError` as soon as the signal fires, and leaves nothing behind. */
  sleep(ms: number, signal?: AbortSignal | undefined): Promise<void>;
}
