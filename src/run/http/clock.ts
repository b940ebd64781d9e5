import { AbortedError } from '../../ask/sluice-error.ts';

/** The time, handed in, so that tests need not wait. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects with `AbortedError` as soon as the signal fires, and leaves nothing behind. */
  sleep(ms: number, signal?: AbortSignal | undefined): Promise<void>;
}

/** A signal of its own: it fires with the caller's, by hand, or when the time that was last set is over. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Starts anew. Real time, whatever the clock says: what is waited for is real, too. */
  within(ms: number, reason: Error): void;
  stop(): void;
}

/** The caller's signal keeps no listener afterwards. */
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
