import { invariant } from '../../ask/invariant.ts';
import { toUnitStart } from '../../ask/time/buckets.ts';
import { fixedLength, meanLength, startOf } from '../../ask/time/calendar.ts';
import { type BucketGrid, type BucketSize, day, isCalendarUnit, type ShortUnit } from '../../ask/time/granularity.ts';
import { type TimeRange, type Weekday, weekdays } from '../../ask/time/range.ts';
import { offsetAt, transitions } from '../../ask/time/zone.ts';
import type { BucketCut } from './dialect.ts';
import { type Expression, sql } from './expression.ts';

/** What an engine does with instants and wall times that buckets are made of. Numbers of milliseconds are whole. */
export interface TimeWords {
  /** A literal; `instant` in epoch milliseconds. */
  timestamp(instant: number): Expression;
  /** `time` so many milliseconds later. */
  later(time: Expression, milliseconds: number): Expression;
  laterByDays(time: Expression, days: number): Expression;
  /** The beginning of a unit; weeks begin on Monday. */
  trunc(unit: Extract<BucketSize, string>, time: Expression): Expression;
  /** Cut into equal lengths, one of which begins at `origin`. */
  everyLength(length: number, time: Expression, origin: number): Expression;
  /** Cut into so many months; `origin` is the first instant of one. */
  everyMonths(months: number, time: Expression, origin: number): Expression;
  /** How many lengths lie between, rounded down. */
  lengthsSince(origin: number, time: Expression, length: number): Expression;
  /** So many steps after `origin`, where the `places` may be below 0. */
  stepsAfter(origin: number, places: Expression, step: BucketGrid['step']): Expression;
  plusPlaces(places: Expression, count: number): Expression;
  /** The later one of two. */
  latest(one: Expression, other: Expression): Expression;
}

/** How an engine cuts buckets of time. */
export interface Buckets {
  toBucket(instant: Expression, cut: BucketCut): Expression;
  toLocalTime(instant: Expression, zone: string, range?: TimeRange): Expression;
}

/** Where there is no range, rows of any time may come. */
const anyTime: TimeRange = { start: -Infinity, end: Infinity };

/**
 * Zones are written out as numbers, by their history: the engine's own tables may be older than those that ranges are
 * read by, and cost ten times as much for each row.
 */
export function openBuckets(words: TimeWords): Buckets {
  const { timestamp, later } = words;

  /**
   * A day and longer: the local wall time at which the unit began. Shorter: the instant at which it began; a change of
   * the clock begins a new bucket, so that buckets never overlap. `toBuckets` cuts the same.
   */
  function toBucket(instant: Expression, cut: BucketCut): Expression {
    return isCalendarUnit(cut.granularity)
      ? toCalendarBucket(cut.granularity, toBegunDays(instant, cut), cut.weekStart)
      : toShortBucket(instant, cut);
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
   * The same for days and longer. Put back from just after midnight, a clock shows the day before again; the day that
   * had begun goes on.
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
   * `startOf` in SQL. Buckets of equal length, and of months that begin on a day that every month has, are counted.
   * Others lie a few days beside where their mean length puts them, so that the one before and the one after are looked
   * at, too.
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
    // Neighbours that need no shift are one.
    const different = spans.filter((span, index) => index === 0 || !isWhole(span) || !isWhole(spans[index - 1]!));
    return bySpan(different, instant, (span) => {
      if (isWhole(span)) return words.trunc(granularity, instant);
      const bucket = later(words.trunc(granularity, later(instant, span.offset)), -span.offset);
      return span.isChange ? words.latest(bucket, timestamp(span.start)) : bucket;
    });
  }

  /** The same on a grid of the model's. */
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

  /** Halves the list again and again, so that a row is compared with few of its starts. */
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
