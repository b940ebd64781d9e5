import { toUnitStart } from '../../ask/time/buckets.ts';
import { fixedLength, startOf } from '../../ask/time/calendar.ts';
import { day } from '../../ask/time/duration.ts';
import { isCalendarUnit, type Granularity, type ShortUnit } from '../../ask/time/granularity.ts';
import { offsetAt, transitions } from '../../ask/time/zone.ts';
import { weekdays, type TimeRange, type Weekday } from '../../ask/time/range.ts';
import type { BucketCut } from './dialect.ts';
import { sql, trusted, type Expression } from './expression.ts';
import { writeTimestamp } from './duckdb-timestamp.ts';

/** Up to so many changes of the clock are written out; past that the engine's own zone tables are asked. */
const mostWrittenOut = 6;

/** In a longer range changes are not even looked for. */
const longestWrittenOut = 10 * 366 * day;

/** Where there is no range, or a very long one, events are taken to lie between these years when a clock's history must be written out. */
const anyTime: TimeRange = { start: Date.UTC(1970, 0, 1), end: Date.UTC(2038, 0, 1) };

/**
 * A day and longer: the local wall time at which the unit began. Shorter: the instant at which it began; a change of
 * the clock begins a new bucket, so that buckets never overlap. `toBuckets` cuts the same.
 */
export function toDuckDbBucket(instant: Expression, cut: BucketCut): Expression {
  return isCalendarUnit(cut.granularity)
    ? truncated(cut.granularity, toLocalTime(instant, cut.zone, cut.range), cut.weekStart)
    : toShortBucket(instant, cut);
}

function truncated(granularity: Granularity, time: Expression, weekStart: Weekday): Expression {
  const shift = granularity === 'week' ? (7 - weekdays.indexOf(weekStart)) % 7 : 0;
  if (shift === 0) return sql`date_trunc(${trusted(`'${granularity}'`)}, ${time})`;
  const days = trusted(`to_days(${shift})`);
  return sql`date_trunc('week', ${time} + ${days}) - ${days}`;
}

/**
 * The engine's zone conversion costs many times an addition for each row. Within a range the clock changes a few
 * times at most, so the offsets are written out as numbers.
 */
function toLocalTime(instant: Expression, zone: string, range: TimeRange | undefined): Expression {
  if (zone === 'UTC') return instant;
  const spans = range && isShort(range) ? offsetSpans(zone, range) : undefined;
  if (!spans || spans.length > mostWrittenOut + 1) return sql`timezone(${quotedZone(zone)}, timezone('UTC', ${instant}))`;
  return bySpan(spans, instant, (span) => {
    const local = shifted(instant, span.offset);
    // Put back from just after midnight, a clock shows the day before again; the day that had begun goes on.
    const begun = toUnitStart(span.start, 'day', zone);
    return begun > startOf(span.start + span.offset, 'day') ? sql`greatest(${local}, ${timestamp(begun)})` : local;
  });
}

function toShortBucket(instant: Expression, cut: BucketCut): Expression {
  const granularity = cut.granularity as ShortUnit;
  const length = fixedLength(granularity);
  const unit = trusted(`'${granularity}'`);
  const { start, end } = cut.range && isShort(cut.range) ? cut.range : anyTime;
  // The first bucket may begin before the range.
  const spans = offsetSpans(cut.zone, { start: start - length, end });
  const isWhole = spans.every((span) => span.offset % length === 0 && (!span.isChange || span.start % length === 0));
  if (isWhole) return sql`date_trunc(${unit}, ${instant})`;
  return bySpan(spans, instant, (span) => {
    const bucket = shifted(sql`date_trunc(${unit}, ${shifted(instant, span.offset)})`, -span.offset);
    return span.isChange ? sql`greatest(${bucket}, ${timestamp(span.start)})` : bucket;
  });
}

function isShort(range: TimeRange): boolean {
  return range.end - range.start <= longestWrittenOut;
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

/** Newest stretch first: most events are recent, and later branches see only the rows that are left. */
function bySpan(spans: readonly OffsetSpan[], instant: Expression, branch: (span: OffsetSpan) => Expression): Expression {
  const [earliest, ...later] = spans;
  const otherwise = branch(earliest!);
  if (later.length === 0) return otherwise;
  let cases = trusted('CASE');
  for (const span of later.reverse()) cases = sql`${cases} WHEN ${instant} >= ${timestamp(span.start)} THEN ${branch(span)}`;
  return sql`${cases} ELSE ${otherwise} END`;
}

function shifted(time: Expression, milliseconds: number): Expression {
  return milliseconds === 0 ? time : sql`(${time} + ${trusted(`to_milliseconds(${milliseconds})`)})`;
}

function timestamp(instant: number): Expression {
  return trusted(`TIMESTAMP '${writeTimestamp(instant)}'`);
}

/** Zone names are canonical by now: letters, digits and `_+-/` only. */
function quotedZone(zone: string): Expression {
  if (!/^[A-Za-z0-9_+\-/]+$/.test(zone)) throw new RangeError(`not a canonical zone name: ${zone}`);
  return trusted(`'${zone}'`);
}
