/** Slow, plain definitions of trends over events: calendar dates are texts, and every figure reads all events. */

export interface Seen {
  readonly at: number;
  readonly user: string;
  readonly path: string;
}

export type Unit = 'hour' | 'day' | 'week' | 'month';
export type Bucket = Exclude<Unit, 'hour'>;

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;

/** `YYYY-MM-DD` in the calendar of the zone. */
export function dateIn(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  return (instant) => format.format(instant);
}

export function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

function plusMonths(date: string, months: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}

/** First day of the bucket of a day. Weeks begin on Monday. */
export function bucketOf(date: string, bucket: Bucket): string {
  if (bucket === 'day') return date;
  if (bucket === 'month') return `${date.slice(0, 7)}-01`;
  return plusDays(date, -((new Date(date).getUTCDay() + 6) % 7));
}

export function nextBucket(start: string, bucket: Bucket, count = 1): string {
  return bucket === 'month' ? plusMonths(start, count) : plusDays(start, count * (bucket === 'week' ? 7 : 1));
}

/** The buckets that overlap a range of days, both ends included. */
export function bucketsOf([first, last]: readonly [string, string], bucket: Bucket): readonly string[] {
  const buckets: string[] = [];
  for (let start = bucketOf(first, bucket); start <= last; start = nextBucket(start, bucket)) buckets.push(start);
  return buckets;
}

/** The instant at which a day begins in a zone, to the quarter of an hour. */
export function midnight(date: string, zone: string): number {
  const toDate = dateIn(zone);
  let instant = Date.parse(date) - dayMs;
  while (toDate(instant) < date) instant += hourMs / 4;
  return instant;
}

/** The day after the last one that counts in a bucket: the range cuts the last bucket. */
export function endOf(start: string, bucket: Bucket, [, last]: readonly [string, string]): string {
  const [end, cut] = [nextBucket(start, bucket), plusDays(last, 1)];
  return end < cut ? end : cut;
}

/** Whether an event lies in the `amount` units that end with the day before `end`. */
export function inWindow(event: Seen, end: string, amount: number, unit: Unit, zone: string): boolean {
  const date = dateIn(zone)(event.at);
  if (date >= end) return false;
  if (unit === 'hour') return event.at >= midnight(end, zone) - amount * hourMs;
  if (unit === 'month') return date > plusMonths(plusDays(end, -1), -amount);
  return date >= plusDays(end, -amount * (unit === 'week' ? 7 : 1));
}

export const usersOf = (events: readonly Seen[]): number => new Set(events.map(({ user }) => user)).size;
