import { AbortedError, throwIfAborted } from '../../../src/ask/sluice-error.ts';
import type { Clock } from '../../../src/run/http/clock.ts';

export interface FakeClock extends Clock {
  /** The requested waits in order, in milliseconds. */
  readonly waits: readonly number[];
  /** Number of current waits. */
  readonly waiting: number;
  /** Advances time, and wakes sleepers whose time has come, the earliest first. */
  advance(ms: number): void;
}

/**
 * A clock without real waiting. `by-itself`: every sleep returns at once, and its time has passed. `by-hand`: only
 * `advance` moves it.
 */
export function openFakeClock(
  moves: 'by-itself' | 'by-hand' = 'by-itself',
  start = Date.UTC(2024, 2, 8, 12),
): FakeClock {
  let now = start;
  const waits: number[] = [];
  const sleepers = new Set<{ readonly until: number; wake(): void }>();

  function advance(ms: number): void {
    const end = now + ms;
    for (;;) {
      const next = [...sleepers].filter(({ until }) => until <= end).sort((a, b) => a.until - b.until)[0];
      if (next === undefined) break;
      now = Math.max(now, next.until);
      next.wake();
    }
    now = end;
  }

  return {
    now: () => now,
    waits,
    get waiting() {
      return sleepers.size;
    },
    advance,
    async sleep(ms, signal) {
      throwIfAborted(signal);
      waits.push(ms);
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', onAbort);
        };
        const onAbort = () => {
          leave();
          reject(new AbortedError(signal?.reason));
        };
        const until = now + ms;
        const sleeper = {
          until,
          wake: () => {
            leave();
            now = Math.max(now, until);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort);
        if (moves === 'by-itself') setImmediate(() => sleepers.has(sleeper) && sleeper.wake());
      });
    },
  };
}
