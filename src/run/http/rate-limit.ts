import { type GetHeader, readReset } from './retry-delay.ts';

/** What is left of the rate limit's window. */
export interface Allowance {
  readonly limit: number | undefined;
  readonly remaining: number;
  /** Epoch milliseconds of this machine's clock. */
  readonly resetAt: number;
}

/** Below this share of the limit, what remains is spread over the window's rest. */
const scarceShare = 0.1;
const scarceCount = 10;

/**
 * The allowance that a response tells of (`RateLimit-Limit`, `-Remaining`, `-Reset`); undefined where it tells of none.
 */
export function readAllowance(header: GetHeader, now: number): Allowance | undefined {
  const remaining = readCount(header('ratelimit-remaining'));
  const reset = readReset(header, now);
  return remaining === undefined || reset === undefined
    ? undefined
    : { limit: readCount(header('ratelimit-limit')), remaining, resetAt: now + reset };
}

/**
 * How long the next request should wait so that the limit is not hit: nothing while there is plenty, until the reset
 * where nothing is left.
 */
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
 * What is known after a response came. Its count does not hold the requests that are still on their way, and responses
 * overtake each other: within a window the smaller figure counts.
 */
export function learn(known: Allowance | undefined, told: Allowance, underWay: number): Allowance {
  const remaining = Math.max(0, told.remaining - underWay);
  const sameWindow = known !== undefined && Math.abs(known.resetAt - told.resetAt) < 1000;
  return { ...told, remaining: sameWindow ? Math.min(known.remaining, remaining) : remaining };
}

function readCount(text: string | undefined): number | undefined {
  return /^\d+$/.test(text?.trim() ?? '') ? Number(text) : undefined;
}
