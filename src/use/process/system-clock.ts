import { setTimeout as pause } from 'node:timers/promises';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Clock } from '../../run/http/clock.ts';

/** Node's timers support no longer delay. */
const longestTimer = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    throwIfAborted(signal);
    try {
      for (let left = ms; left > 0; left -= longestTimer)
        await pause(Math.min(left, longestTimer), undefined, { signal });
    } catch (cause) {
      throw new AbortedError(cause);
    }
  },
};
