import { type IssuePath, type Outcome, bad, errorIssue, good, warningIssue } from '../outcome.ts';
import type { Granularity } from './granularity.ts';
import type { TimeContext, TimeRange } from './range.ts';
import { type Point, normalized, readIfPoint, readPoint, unitPattern } from './read-point.ts';
import { readUnits } from './relative-units.ts';
import { unreadableRange } from './unreadable-range.ts';

const countedUnits = new RegExp(`^(last|past|previous|next) (\\d+) ${unitPattern}$`);
const unitToDate = new RegExp(`^${unitPattern} to date$`);
const fromTo = /^from (.+?) to (.+)$/;
const since = /^since (.+)$/;

/**
 * Reads a range of time, by the rules of the design's section on time. Text is a phrase (`last 7 days`, `this month`,
 * `week to date`, `from 30 days ago to now`, `since 2024-03-01`), a date, a month, a year or an ISO week; a list is one such,
 * or two points: start of the first to end of the second. Phrases are read against the context's clock and zone, in any case
 * and spacing. The present is in, to the millisecond.
 * Issues, with the place in the list as path: `unreadable-range`, `invalid-date`, `invalid-count`, `range-out-of-reach`;
 * the warning `reversed-range` where the end comes first, and the range is then empty.
 */
export function readDateRange(text: string | readonly string[], context: TimeContext): Outcome<TimeRange> {
  if (typeof text === 'string') return readPhrase(text, context);
  const [first, last] = text;
  if (first !== undefined && text.length === 1) return at([0], readPhrase(first, context));
  if (first !== undefined && last !== undefined && text.length === 2) {
    return fromFirstToLast(at([0], readPoint(first, context)), at([1], readPoint(last, context)));
  }
  return bad([errorIssue('unreadable-range', `A range is one phrase or two ends, not a list of ${text.length}.`, { hint: 'Write `[first day, last day]`.' })]);
}

function readPhrase(text: string, context: TimeContext): Outcome<TimeRange> {
  const phrase = normalized(text);
  const point = readIfPoint(phrase, context);
  if (point !== undefined) return point.ok ? good(point.value.range) : point;

  const counted = countedUnits.exec(phrase);
  if (counted) {
    const number = Number(counted[2]);
    return readUnits(number, counted[1] === 'next' ? 1 : -number, number, counted[3] as Granularity, context);
  }
  const running = unitToDate.exec(phrase);
  if (running) return fromFirstToLast(readPoint(`this ${running[1]}`, context), readPoint('now', context));
  const between = fromTo.exec(phrase);
  if (between) return fromFirstToLast(readPoint(between[1]!, context), readPoint(between[2]!, context));
  const open = since.exec(phrase);
  if (open) return fromFirstToLast(readPoint(open[1]!, context), readPoint('now', context));
  return bad([unreadableRange(text.trim())]);
}

/** From the start of the first point to the end of the last. */
function fromFirstToLast(first: Outcome<Point>, last: Outcome<Point>): Outcome<TimeRange> {
  if (!first.ok || !last.ok) return bad([...first.issues, ...last.issues]);
  const { start } = first.value.range;
  const { end, start: lastStart } = last.value.range;
  if (end > start || lastStart >= start) return good({ start, end });
  const hint = 'Put the earlier end first.';
  return good({ start, end: start }, [warningIssue('reversed-range', 'The range ends before it begins, so that nothing lies in it.', { hint })]);
}

function at<T>(path: IssuePath, outcome: Outcome<T>): Outcome<T> {
  const issues = outcome.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  return outcome.ok ? good(outcome.value, issues) : bad(issues);
}
