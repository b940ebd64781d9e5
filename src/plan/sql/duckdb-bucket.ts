import { toUnitStart } from '../../ask/time/buckets.ts';
import { fixedLength, startOf } from '../../ask/time/calendar.ts';
import { isCalendarUnit, type Granularity, type ShortUnit } from '../../ask/time/granularity.ts';
import { offsetAt, transitions } from '../../ask/time/zone.ts';
import { weekdays, type TimeRange, type Weekday } from '../../ask/time/range.ts';
import type { BucketCut } from './dialect.ts';
import { sql, trusted, type Expression } from './expression.ts';
import { writeTimestamp } from './duckdb-timestamp.ts';

/** Where there is no range, rows of any time may come. */
const anyTime: TimeRange = { start: -Infinity, end: Infinity };

/**
 * A day and longer: the local wall time at which the unit began. Shorter: the instant at which it began; a change of
 * the clock begins a new bucket, so that buckets never overlap. `toBuckets` cuts the same.
 */
export function toDuckDbBucket(instant: Expression, cut: BucketCut): Expression {
  return isCalendarUnit(cut.granularity)
    ? truncated(cut.granularity, toBegunDays(instant, cut), cut.weekStart)
    : toShortBucket(instant, cut);
}

function truncated(granularity: Granularity, time: Expression, weekStart: Weekday): Expression {
  const shift = granularity === 'week' ? (7 - weekdays.indexOf(weekStart)) % 7 : 0;
  if (shift === 0) return sql`date_trunc(${trusted(`'${granularity}'`)}, ${time})`;
  const days = trusted(`to_days(${shift})`);
  return sql`date_trunc('week', ${time} + ${days}) - ${days}`;
}

/**
 * The wall time of an instant, by the zone's history as numbers: the engine's own tables may be older than those that ranges are
 * read by, and cost ten times as much for each row.
 */
export function toDuckDbLocalTime(instant: Expression, zone: string): Expression {
  return bySpan(offsetSpans(zone, anyTime), instant, (span) => shifted(instant, span.offset));
}

/** The same for days and longer. Put back from just after midnight, a clock shows the day before again; the day that had begun goes on. */
function toBegunDays(instant: Expression, { zone, range = anyTime }: BucketCut): Expression {
  return bySpan(offsetSpans(zone, range), instant, (span) => {
    const local = shifted(instant, span.offset);
    if (span.start === -Infinity) return local;
    const begun = toUnitStart(span.start, 'day', zone);
    return begun > startOf(span.start + span.offset, 'day') ? sql`greatest(${local}, ${timestamp(begun)})` : local;
  });
}

function toShortBucket(instant: Expression, { zone, range = anyTime, ...cut }: BucketCut): Expression {
  const granularity = cut.granularity as ShortUnit;
  const length = fixedLength(granularity);
  const unit = trusted(`'${granularity}'`);
  const isWhole = (span: OffsetSpan) => span.offset % length === 0 && (!span.isChange || span.start % length === 0);
  // The first bucket may begin before the range.
  const spans = offsetSpans(zone, { start: range.start - length, end: range.end });
  // Neighbours that need no shift are one.
  const different = spans.filter((span, index) => index === 0 || !isWhole(span) || !isWhole(spans[index - 1]!));
  return bySpan(different, instant, (span) => {
    if (isWhole(span)) return sql`date_trunc(${unit}, ${instant})`;
    const bucket = shifted(sql`date_trunc(${unit}, ${shifted(instant, span.offset)})`, -span.offset);
    return span.isChange ? sql`greatest(${bucket}, ${timestamp(span.start)})` : bucket;
  });
}

interface OffsetSpan {
  readonly start: number;
  readonly offset: number;
  /** The clock changed when it began. */
  readonly isChange: boolean;
}

/** The stretches of one offset that a range touches, earliest first. */
function offsetSpans(zone: string, range: TimeRange): readonly OffsetSpan[] {
  const changes = transitions(zone, range.start, range.end);
  return [
    { start: range.start, offset: offsetAt(zone, range.start), isChange: false },
    ...changes.map((change) => ({ start: change.instant, offset: change.offset, isChange: true })),
  ];
}

/** Halves the list again and again, so that a row is compared with few of its starts. */
function bySpan(spans: readonly OffsetSpan[], instant: Expression, branch: (span: OffsetSpan) => Expression): Expression {
  if (spans.length === 1) return branch(spans[0]!);
  const middle = Math.floor(spans.length / 2);
  const [earlier, later] = [spans.slice(0, middle), spans.slice(middle)].map((half) => bySpan(half, instant, branch));
  return sql`CASE WHEN ${instant} >= ${timestamp(spans[middle]!.start)} THEN ${later!} ELSE ${earlier!} END`;
}

function shifted(time: Expression, milliseconds: number): Expression {
  return milliseconds === 0 ? time : sql`(${time} + ${trusted(`to_milliseconds(${milliseconds})`)})`;
}

function timestamp(instant: number): Expression {
  return trusted(`TIMESTAMP '${writeTimestamp(instant)}'`);
}
