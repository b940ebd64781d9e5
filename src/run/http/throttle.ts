import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Clock } from './clock.ts';
import { type Allowance, learn, paceDelay, readAllowance, spend } from './rate-limit.ts';
import { type GetHeader, readNamedDelay } from './retry-delay.ts';

/**
 * Lets the requests of a client through: so many at once, in their order, and slower where the rate limit comes near.
 */
export interface Throttle {
  /**
   * Waits for its turn; for the rate limit no longer than until `patience`, epoch milliseconds. The function that it
   * gives is called when the request is done.
   */
  enter(patience: number, signal: AbortSignal): Promise<() => void>;
  /**
   * What a response says about the rate limit. A 429 that names a wait closes the gate for so long. Called before its
   * request is done.
   */
  note(status: number, header: GetHeader): void;
}

interface Waiter {
  readonly patience: number;
  go(): void;
}

export function openThrottle(clock: Clock, connections: number): Throttle {
  const waiters = new Set<Waiter>();
  let underWay = 0;
  let allowance: Allowance | undefined;
  let lastSentAt = 0;
  let heldUntil = 0;
  let alarm: AbortController | undefined;

  const delayOf = ({ patience }: Waiter, now: number) => {
    const delay = Math.max(heldUntil - now, allowance === undefined ? 0 : paceDelay(allowance, lastSentAt, now));
    // The server's own answer says it better than a wait that leads to nothing.
    return delay <= 0 || now + delay > patience ? 0 : delay;
  };

  const stopAlarm = () => {
    alarm?.abort();
    alarm = undefined;
  };

  const setAlarm = (ms: number) => {
    const mine = new AbortController();
    alarm = mine;
    clock.sleep(ms, mine.signal).then(
      () => {
        if (alarm === mine) alarm = undefined;
        letThrough();
      },
      () => undefined,
    );
  };

  const letThrough = () => {
    stopAlarm();
    const now = clock.now();
    let shortest = Infinity;
    for (const waiter of waiters) {
      if (underWay >= connections) return;
      const delay = delayOf(waiter, now);
      if (delay > 0) {
        shortest = Math.min(shortest, delay);
        continue;
      }
      waiters.delete(waiter);
      underWay += 1;
      lastSentAt = now;
      allowance &&= spend(allowance);
      waiter.go();
    }
    if (shortest < Infinity) setAlarm(shortest);
  };

  const leave = () => {
    underWay -= 1;
    letThrough();
  };

  return {
    async enter(patience, signal) {
      throwIfAborted(signal);
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          waiters.delete(waiter);
          if (waiters.size === 0) stopAlarm();
          reject(new AbortedError(signal.reason));
        };
        const waiter = {
          patience,
          go: () => {
            signal.removeEventListener('abort', giveUp);
            resolve();
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiters.add(waiter);
        letThrough();
      });
      return leave;
    },
    note(status, header) {
      const now = clock.now();
      const told = readAllowance(header, now);
      // The one that this response answers is no longer on its way.
      if (told !== undefined) allowance = learn(allowance, told, Math.max(0, underWay - 1));
      if (status === 429) heldUntil = Math.max(heldUntil, now + (readNamedDelay(status, header, now) ?? 0));
    },
  };
}
