import { AbortedError } from '../../ask/sluice-error.ts';

/** The time, injected so that tests need not wait. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects with `AbortedError` as soon as the signal fires, and then removes its timer and listener. */
  sleep(ms: number, signal?: AbortSignal | undefined): Promise<void>;
}

/** A signal that fires with the caller's signal, by `stop`, or when the last time limit is over. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Restarts the time limit. Uses real time instead of the clock, because the wait is real. */
  within(ms: number, reason: Error): void;
  stop(): void;
}

/** Removes its listener from the caller's signal when disposed. */
export function openDeadline(caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => controller.abort(new AbortedError(caller?.reason));
  caller?.addEventListener('abort', stop);
  if (caller?.aborted) stop();

  return {
    signal: controller.signal,
    within(ms, reason) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(reason), ms);
    },
    stop,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
}
