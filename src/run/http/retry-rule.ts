import type { Failed, Received } from './send-once.ts';

const passingStatuses = new Set([500, 502, 503, 504]);
const mostTries = 5;
/** A server that is busy says so on purpose, and answers in the end. */
const mostTriesWhenLimited = 10;

/** Whether one may try again: it may be otherwise in a moment, and nothing can be done twice that must not be. */
export function mayRetry(outcome: Received | Failed, attempt: number, safe: boolean): boolean {
  // A 429 was not carried out, whatever it asked for.
  if (outcome.kind === 'response' && outcome.status === 429) return attempt < mostTriesWhenLimited;
  if (attempt >= mostTries) return false;
  if (outcome.kind === 'response') return safe && passingStatuses.has(outcome.status);
  return outcome.failure.passing && (safe || outcome.failure.unsent);
}
