import { invariant } from '../invariant.ts';
import { addBuckets, fixedLength, startOf } from './calendar.ts';
import { type BucketSize, day, isCalendarUnit } from './granularity.ts';
import { writeInstantLocal, writeLocal, writeWithOffset } from './local-time.ts';
import type { Bucket, TimeRange, Weekday } from './range.ts';
import { offsetAt, toInstant, toLocal, transitions } from './zone.ts';

/** A longer axis is a mistake: callers check `countBuckets` first. */
const mostBuckets = 5_000_000;

/**
 * The buckets that a range touches, in order and whole: the first may begin before the range, and the last may end
 * after it. Each begins at the end of the previous one. Buckets of a day or longer are units of the zone's calendar and
 * begin at its first instant; a day that the zone skipped has none. Shorter buckets follow the zone's clock, and a
 * clock change always begins a new one. Throws if there are more than five million.
 */
export function toBuckets(
  range: TimeRange,
  granularity: BucketSize,
  zone: string,
  weekStart: Weekday = 'monday',
): readonly Bucket[] {
  if (!(range.start < range.end)) return [];
  const most = countBuckets(range, granularity, zone);
  invariant(most <= mostBuckets, `${most} buckets asked for at once`);
  return isCalendarUnit(granularity)
    ? toCalendarBuckets(range, granularity, zone, weekStart)
    : toShortBuckets(range, granularity, zone);
}

function toCalendarBuckets(
  range: TimeRange,
  granularity: BucketSize,
  zone: string,
  weekStart: Weekday,
): readonly Bucket[] {
  const buckets: Bucket[] = [];
  let local = toUnitStart(range.start, granularity, zone, weekStart);
  let start = toInstant(local, zone, 'first');
  while (start < range.end) {
    const nextLocal = addBuckets(local, granularity, 1);
    const end = toInstant(nextLocal, zone, 'first');
    if (start < end) buckets.push({ start, end, label: writeLocal(local) });
    local = nextLocal;
    start = end;
  }
  return buckets;
}

function toShortBuckets(range: TimeRange, granularity: BucketSize, zone: string): readonly Bucket[] {
  const buckets: Bucket[] = [];
  let start = toBucketStart(range.start, granularity, zone);
  while (start < range.end) {
    const end = toBucketEnd(start, granularity, zone);
    buckets.push({ start, end, label: writeInstantLocal(start, zone) });
    start = end;
  }
  return buckets;
}

/** The start of the bucket that contains `instant`. */
export function toBucketStart(
  instant: number,
  granularity: BucketSize,
  zone: string,
  weekStart: Weekday = 'monday',
): number {
  if (isCalendarUnit(granularity)) return toInstant(toUnitStart(instant, granularity, zone, weekStart), zone, 'first');
  const offset = offsetAt(zone, instant);
  const start = startOf(instant + offset, granularity) - offset;
  return transitions(zone, start, instant).at(-1)?.instant ?? start;
}

/** The end of the bucket that contains `instant`, which is the start of the next one. */
export function toBucketEnd(
  instant: number,
  granularity: BucketSize,
  zone: string,
  weekStart: Weekday = 'monday',
): number {
  if (isCalendarUnit(granularity)) {
    let local = toUnitStart(instant, granularity, zone, weekStart);
    let end: number;
    do {
      local = addBuckets(local, granularity, 1);
      end = toInstant(local, zone, 'first');
    } while (end <= instant);
    return end;
  }
  const offset = offsetAt(zone, instant);
  const end = addBuckets(startOf(instant + offset, granularity), granularity, 1) - offset;
  return transitions(zone, instant, end)[0]?.instant ?? end;
}

/**
 * Wall time (epoch ms as if UTC) at which the calendar unit that contains `instant` begins. If the clock is set back
 * from just after midnight to the previous day (St. John's until 2011), the new day continues: units do not interleave.
 */
export function toUnitStart(
  instant: number,
  granularity: BucketSize,
  zone: string,
  weekStart: Weekday = 'monday',
): number {
  let local = startOf(toLocal(instant, zone), granularity, weekStart);
  for (;;) {
    const next = addBuckets(local, granularity, 1);
    if (toInstant(next, zone, 'first') > instant) return local;
    local = next;
  }
}

const shortest = { day, week: 7 * day, month: 28 * day, quarter: 90 * day, year: 365 * day };
/** An upper bound: no zone has changed its clock more often. Morocco did so four times a year. */
const mostChangesAYear = 6;

function shortestOf(size: BucketSize): number {
  if (typeof size === 'string') return isCalendarUnit(size) ? shortest[size] : fixedLength(size);
  const { months = 0, length = day } = size.grid?.step ?? {};
  return months * shortest.month + length;
}

/** An upper bound close to the number of buckets of `toBuckets`, in constant time, to refuse an axis early. */
export function countBuckets(range: TimeRange, granularity: BucketSize, zone: string): number {
  const elapsed = range.end - range.start;
  if (!(elapsed > 0)) return 0;
  if (!isCalendarUnit(granularity)) {
    const changes = zone === 'UTC' ? 0 : mostChangesAYear * Math.ceil(elapsed / shortest.year + 1);
    return Math.floor(elapsed / shortestOf(granularity)) + 2 * (changes + 1);
  }
  // The offsets at both ends differ by less than two days.
  return Math.floor((elapsed + (zone === 'UTC' ? 0 : 2 * day)) / shortestOf(granularity)) + 2;
}

/**
 * The label of a bucket in answers, from its start. A day or longer has no offset: `2018-11-04T00:00:00.000`, even if
 * the clock skipped that midnight. Shorter buckets have their offset, or `Z` in UTC. `weekStart` matters only for a
 * week whose first day the zone skipped.
 */
export function writeBucketLabel(
  bucketStart: number,
  granularity: BucketSize,
  zone: string,
  weekStart?: Weekday,
): string {
  if (!isCalendarUnit(granularity)) return writeWithOffset(bucketStart, zone);
  const unit = granularity === 'week' && weekStart === undefined ? 'day' : granularity;
  return writeLocal(startOf(toLocal(bucketStart, zone), unit, weekStart));
}

/** The range of the bucket with this label of answers. */
export function readBucketLabel(
  label: string,
  granularity: BucketSize,
  { zone, weekStart }: { readonly zone: string; readonly weekStart?: Weekday | undefined },
): TimeRange {
  const start = isCalendarUnit(granularity) ? toInstant(Date.parse(`${label}Z`), zone, 'first') : Date.parse(label);
  return { start, end: toBucketEnd(start, granularity, zone, weekStart) };
}
