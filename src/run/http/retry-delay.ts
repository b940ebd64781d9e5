import { readHttpDate } from './http-date.ts';

/** A header by its lower-case name. */
export type GetHeader = (name: string) => string | undefined;

/** The ceiling of the first wait; it doubles from try to try. */
const firstCeilingMs = 500;
const highestCeilingMs = 20_000;
/** So that those who were told the same moment do not all come back at it. */
const spreadMs = 1_000;
/** A reset below this is a number of seconds, as the later drafts of the RateLimit fields have it, not a Unix time. */
const earliestUnixTime = 100_000_000;

/**
 * How long to wait before the next try, in milliseconds: full jitter under a ceiling that doubles from try to try; where
 * the server named a wait, never less than that. `attempt` is the number of tries so far, `random` from 0 to below 1.
 */
export function retryDelay(attempt: number, random: number, named?: number): number {
  const ceiling = Math.min(highestCeilingMs, firstCeilingMs * 2 ** (attempt - 1));
  return named === undefined ? random * ceiling : named + random * Math.min(ceiling, spreadMs);
}

/** The wait that a response names, in milliseconds: `Retry-After`, and where a 429 has none, the reset of its rate limit. */
export function readNamedDelay(status: number, header: GetHeader, now: number): number | undefined {
  return readRetryAfter(header, now) ?? (status === 429 ? readSpentReset(header, now) : undefined);
}

/** `Retry-After`, in seconds or as a date, as milliseconds from now; undefined where it says nothing that can be read. */
export function readRetryAfter(header: GetHeader, now: number): number | undefined {
  const text = header('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = readHttpDate(text, now);
  return date === undefined ? undefined : Math.max(0, date - serverTime(header, now));
}

/** The end of the window of the rate limit as milliseconds from now, by `RateLimit-Reset` or `RateLimit-ResetTime`. */
export function readReset(header: GetHeader, now: number): number | undefined {
  const text = header('ratelimit-reset')?.trim() ?? '';
  if (/^\d+$/.test(text)) {
    const seconds = Number(text);
    return seconds < earliestUnixTime ? seconds * 1000 : Math.max(0, seconds * 1000 - serverTime(header, now));
  }
  const date = readHttpDate(header('ratelimit-resettime') ?? '', now);
  return date === undefined ? undefined : Math.max(0, date - serverTime(header, now));
}

/** Application limits have no headers: a 429 with requests remaining is not about this window. */
function readSpentReset(header: GetHeader, now: number): number | undefined {
  return Number(header('ratelimit-remaining') ?? 0) > 0 ? undefined : readReset(header, now);
}

/** By the server's own clock where it shows it, since its moments are told by that. */
function serverTime(header: GetHeader, now: number): number {
  return readHttpDate(header('date') ?? '', now) ?? now;
}
