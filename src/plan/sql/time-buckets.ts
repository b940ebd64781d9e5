import { invariant } from '../../ask/invariant.ts';
import { toUnitStart } from '../../ask/time/buckets.ts';
import { fixedLength, meanLength, startOf } from '../../ask/time/calendar.ts';
import { type BucketGrid, type BucketSize, day, isCalendarUnit, type ShortUnit } from '../../ask/time/granularity.ts';
import { type TimeRange, type Weekday, weekdays } from '../../ask/time/range.ts';
import { offsetAt, transitions } from '../../ask/time/zone.ts';
import type { BucketCut } from './dialect.ts';
import { type Expression, sql } from './expression.ts';

/** An engine's operations on instants and wall times. Milliseconds are integers. */
export interface TimeWords {
  /** A literal; `instant` in epoch milliseconds. */
  timestamp(instant: number): Expression;
  later(time: Expression, milliseconds: number): Expression;
  laterByDays(time: Expression, days: number): Expression;
  /** The start of a unit; weeks begin on Monday. */
  trunc(unit: Extract<BucketSize, string>, time: Expression): Expression;
  /** Cuts time into equal lengths, one of which begins at `origin`. */
  everyLength(length: number, time: Expression, origin: number): Expression;
  /** Cuts time into this many months; `origin` is the start of one. */
  everyMonths(months: number, time: Expression, origin: number): Expression;
  /** The number of lengths between two times, rounded down. */
  lengthsSince(origin: number, time: Expression, length: number): Expression;
  /** The time `places` steps after `origin`; `places` may be negative. */
  stepsAfter(origin: number, places: Expression, step: BucketGrid['step']): Expression;
  plusPlaces(places: Expression, count: number): Expression;
  /** Computes a value once for an expression that repeats it. */
  once(value: Expression, use: (bound: Expression) => Expression): Expression;
  /** The later of two times. */
  latest(one: Expression, other: Expression): Expression;
}

/** An engine's functions that cut time into buckets. */
export interface Buckets {
  toBucket(instant: Expression, cut: BucketCut): Expression;
  toLocalTime(instant: Expression, zone: string, range?: TimeRange): Expression;
}

/** Without a range, rows may have any time. */
const anyTime: TimeRange = { start: -Infinity, end: Infinity };

/**
 * Writes the offsets of a zone into the SQL as numbers. The engine's own zone tables may be older than those used for
 * ranges, and cost ten times as much per row.
 */
export function openBuckets(words: TimeWords): Buckets {
  const { timestamp, later } = words;

  /**
   * For a day and longer: the local wall time at which the unit began. For shorter units: the instant at which it
   * began. An offset change begins a new short bucket, so that buckets never overlap. `toBuckets` cuts the same way.
   */
  function toBucket(instant: Expression, cut: BucketCut): Expression {
    if (instant.isCostly && cut.zone !== 'UTC') return words.once(instant, (bound) => toBucket(bound, cut));
    if (!isCalendarUnit(cut.granularity)) return toShortBucket(instant, cut);
    const local = instant.day?.zone === cut.zone ? instant.day.midnight : toBegunDays(instant, cut);
    return toCalendarBucket(cut.granularity, local, cut.weekStart);
  }

  function toCalendarBucket(granularity: BucketSize, time: Expression, weekStart: Weekday): Expression {
    if (typeof granularity !== 'string') return onGrid(time, granularity.grid);
    const shift = granularity === 'week' ? (7 - weekdays.indexOf(weekStart)) % 7 : 0;
    if (shift === 0) return words.trunc(granularity, time);
    return words.laterByDays(words.trunc('week', words.laterByDays(time, shift)), -shift);
  }

  function toLocalTime(instant: Expression, zone: string, range = anyTime): Expression {
    return bySpan(offsetSpans(zone, range), instant, (span) => later(instant, span.offset));
  }

  /**
   * The wall time for buckets of a day and longer. If the clock goes back shortly after midnight, it shows the previous
   * day again, but the new day continues.
   */
  function toBegunDays(instant: Expression, { zone, granularity, range = anyTime }: BucketCut): Expression {
    // Other standard buckets begin with days.
    const size = typeof granularity === 'string' ? 'day' : granularity;
    return bySpan(offsetSpans(zone, range), instant, (span) => {
      const local = later(instant, span.offset);
      if (span.start === -Infinity) return local;
      const begun = toUnitStart(span.start, size, zone);
      return begun > startOf(span.start + span.offset, size) ? words.latest(local, timestamp(begun)) : local;
    });
  }

  /**
   * `startOf` in SQL. The bucket is computed directly if all buckets have the same length, or if they are months that
   * begin on a day that every month has. Otherwise it is estimated from the mean length. The estimate may be off by a
   * few days, so the neighbouring buckets are tried as well.
   */
  function onGrid(time: Expression, grid: BucketGrid | undefined): Expression {
    invariant(grid, 'buckets that only the model knows are expressions of their own');
    const { step, offset, origin } = grid;
    if (step.months === 0) return words.everyLength(step.length, time, origin + offset);
    const month = startOf(origin, 'month');
    if (step.length === 0 && origin - month < 28 * day) {
      // Engines count months from the first day of one.
      const beside = origin - month + offset;
      return later(words.everyMonths(step.months, later(time, -beside), month), beside);
    }
    const place = words.lengthsSince(origin + offset, time, meanLength(grid));
    const at = (shift: number) => later(words.stepsAfter(origin, words.plusPlaces(place, shift), step), offset);
    return sql`CASE WHEN ${at(1)} <= ${time} THEN ${at(1)} WHEN ${at(0)} <= ${time} THEN ${at(0)} ELSE ${at(-1)} END`;
  }

  function toShortBucket(instant: Expression, { zone, range = anyTime, ...cut }: BucketCut): Expression {
    const size = cut.granularity;
    if (typeof size !== 'string') return toOwnShortBucket(instant, size, { zone, range });
    const granularity = size as ShortUnit;
    const length = fixedLength(granularity);
    const isWhole = (span: OffsetSpan) => span.offset % length === 0 && (!span.isChange || span.start % length === 0);
    // The first bucket may begin before the range.
    const spans = offsetSpans(zone, { start: range.start - length, end: range.end });
    // Merge neighbouring spans that need no shift.
    const different = spans.filter((span, index) => index === 0 || !isWhole(span) || !isWhole(spans[index - 1]!));
    return bySpan(different, instant, (span) => {
      if (isWhole(span)) return words.trunc(granularity, instant);
      const bucket = later(words.trunc(granularity, later(instant, span.offset)), -span.offset);
      return span.isChange ? words.latest(bucket, timestamp(span.start)) : bucket;
    });
  }

  /** Short buckets on a model's own grid. */
  function toOwnShortBucket(
    instant: Expression,
    { grid }: Exclude<BucketSize, string>,
    { zone, range }: { readonly zone: string; readonly range: TimeRange },
  ): Expression {
    const longest = grid?.step.length ?? 0;
    return bySpan(offsetSpans(zone, { start: range.start - longest, end: range.end }), instant, (span) => {
      const bucket = later(onGrid(later(instant, span.offset), grid), -span.offset);
      return span.isChange ? words.latest(bucket, timestamp(span.start)) : bucket;
    });
  }

  /** Branches by binary search, so that a row is compared with few span starts. */
  function bySpan(
    spans: readonly OffsetSpan[],
    instant: Expression,
    branch: (span: OffsetSpan) => Expression,
  ): Expression {
    if (spans.length === 1) return branch(spans[0]!);
    const middle = Math.floor(spans.length / 2);
    const [earlier, after] = [spans.slice(0, middle), spans.slice(middle)].map((half) => bySpan(half, instant, branch));
    return sql`CASE WHEN ${instant} >= ${timestamp(spans[middle]!.start)} THEN ${after!} ELSE ${earlier!} END`;
  }

  return { toBucket, toLocalTime };
}

interface OffsetSpan {
  readonly start: number;
  readonly offset: number;
  /** True if the span begins with an offset change. */
  readonly isChange: boolean;
}

/** The spans of constant offset that a range touches, earliest first. */
function offsetSpans(zone: string, range: TimeRange): readonly OffsetSpan[] {
  const changes = transitions(zone, range.start, range.end);
  return [
    { start: range.start, offset: offsetAt(zone, range.start), isChange: false },
    ...changes.map((change) => ({ start: change.instant, offset: change.offset, isChange: true })),
  ];
}
