import { type Outcome, bad, good } from '../outcome.ts';
import { addUnits } from './calendar.ts';
import { type Granularity, granularities } from './granularity.ts';
import type { TimeContext, TimeRange } from './range.ts';
import { type WrittenTime, readWrittenTime } from './read-written-time.ts';
import { readDistance, readUnits } from './relative-units.ts';
import { unreadablePoint } from './unreadable-range.ts';
import { toInstant, toLocal } from './zone.ts';

/** One end of a range as written. */
export interface Point {
  /** All that the text names: a whole local unit, or one millisecond. */
  readonly range: TimeRange;
  /** It names a whole unit (`2024-03-08`, `yesterday`), not an instant. */
  readonly bare: boolean;
}

/** Matches a unit in singular or plural, for use inside a larger pattern. */
export const unitPattern = `(${granularities.join('|')})s?`;

const singleUnit = new RegExp(`^(this|last|past|previous|next) ${unitPattern}$`);
const distance = new RegExp(`^(\\d+) ${unitPattern} (ago|from now)$`);
const offsets: Readonly<Record<string, number>> = { last: -1, past: -1, previous: -1, yesterday: -1, this: 0, today: 0, next: 1, tomorrow: 1 };

/**
 * Reads one end of a range: a date, month, year or ISO week means that whole local unit, and so do `today`, `yesterday`,
 * `tomorrow` and `last month`; `3 days ago`, `1 month ago` and `2 weeks from now` mean that day; a time means that millisecond, and so does `now`. Without an offset a time is wall
 * time of the context's zone; one that occurs twice reaches from its first to its last occurrence, one that the clock jumped
 * over is empty. Issues: `unreadable-range`, `invalid-date`, `invalid-count`, `range-out-of-reach`.
 */
export function readPoint(text: string, context: TimeContext): Outcome<Point> {
  return readIfPoint(normalized(text), context) ?? bad([unreadablePoint(text.trim())]);
}

/** Lower case, single spaces. */
export function normalized(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** The same of normalized text; undefined where it does not look like a point at all. */
export function readIfPoint(text: string, context: TimeContext): Outcome<Point> | undefined {
  if (text === 'now') return good({ range: { start: context.now, end: context.now + 1 }, bare: false });
  if (text === 'today' || text === 'yesterday' || text === 'tomorrow') return toWholeUnit(readUnits(1, offsets[text]!, 1, 'day', context));
  const single = singleUnit.exec(text);
  if (single) return toWholeUnit(readUnits(1, offsets[single[1]!]!, 1, single[2] as Granularity, context));
  const away = distance.exec(text);
  if (away) return toWholeUnit(readDistance(Number(away[1]), away[3] === 'ago' ? -1 : 1, away[2] as Granularity, context));
  const written = readWrittenTime(text);
  if (written === undefined || !written.ok) return written;
  return good({ range: toWrittenRange(written.value, context.zone), bare: written.value.unit !== 'millisecond' });
}

function toWholeUnit(range: Outcome<TimeRange>): Outcome<Point> {
  return range.ok ? good({ range: range.value, bare: true }) : range;
}

function toWrittenRange({ local, unit, offset }: WrittenTime, zone: string): TimeRange {
  if (offset !== undefined) return { start: local - offset, end: local - offset + 1 };
  const start = toInstant(local, zone, 'first');
  if (unit !== 'millisecond') return { start, end: toInstant(addUnits(local, unit, 1), zone, 'first') };
  const skipped = toLocal(start, zone) !== local;
  return { start, end: skipped ? start : toInstant(local, zone, 'last') + 1 };
}
