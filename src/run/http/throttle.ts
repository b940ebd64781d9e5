import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Clock } from './clock.ts';
import { type GetHeader, readNamedDelay, readReset } from './retry-delay.ts';

/** Limits the requests of a client: their number at once, in order, and their rate when the rate limit is near. */
export interface Throttle {
  /**
   * Waits for its turn, and for the rate limit at most until `patience` (epoch milliseconds). Call the returned
   * function when the request is done.
   */
  enter(patience: number, signal: AbortSignal): Promise<() => void>;
  /**
   * Reads the rate limit from a response. A 429 with a delay stops all requests for that long. Call it before the
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
    // If the wait would exceed the patience, send at once: the server's response explains more.
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
      // The request of this response is no longer in flight.
      if (told !== undefined) allowance = learn(allowance, told, Math.max(0, underWay - 1));
      if (status === 429) heldUntil = Math.max(heldUntil, now + (readNamedDelay(status, header, now) ?? 0));
    },
  };
}

/** The rest of the current rate limit window. */
export interface Allowance {
  readonly limit: number | undefined;
  readonly remaining: number;
  /** Epoch milliseconds of this machine's clock. */
  readonly resetAt: number;
}

/** Below this share of the limit, the remaining requests are spread over the rest of the window. */
const scarceShare = 0.1;
const scarceCount = 10;

/** The allowance in a response (`RateLimit-Limit`, `-Remaining`, `-Reset`); undefined if there is none. */
export function readAllowance(header: GetHeader, now: number): Allowance | undefined {
  const remaining = readCount(header('ratelimit-remaining'));
  const reset = readReset(header, now);
  return remaining === undefined || reset === undefined
    ? undefined
    : { limit: readCount(header('ratelimit-limit')), remaining, resetAt: now + reset };
}

/** The delay before the next request: 0 while many remain, and until the reset if none remains. */
export function paceDelay({ limit, remaining, resetAt }: Allowance, lastSentAt: number, now: number): number {
  if (now >= resetAt || remaining > Math.max(scarceCount, (limit ?? 0) * scarceShare)) return 0;
  if (remaining <= 0) return resetAt - now;
  const since = Math.min(lastSentAt, now);
  return Math.max(0, since + (resetAt - since) / (remaining + 1) - now);
}

/** The same window after one more request. */
export function spend(allowance: Allowance): Allowance {
  return { ...allowance, remaining: Math.max(0, allowance.remaining - 1) };
}

/**
 * The allowance after a response. Its count does not include requests in flight, and responses can overtake each other,
 * so the smaller figure within a window counts.
 */
export function learn(known: Allowance | undefined, told: Allowance, underWay: number): Allowance {
  const remaining = Math.max(0, told.remaining - underWay);
  const sameWindow = known !== undefined && Math.abs(known.resetAt - told.resetAt) < 1000;
  return { ...told, remaining: sameWindow ? Math.min(known.remaining, remaining) : remaining };
}

function readCount(text: string | undefined): number | undefined {
  return /^\d+$/.test(text?.trim() ?? '') ? Number(text) : undefined;
}
