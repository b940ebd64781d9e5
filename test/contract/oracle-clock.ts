/**
 * Calendar and wall clock time, looked up in `Intl` in steps of a quarter of an hour. Slow, and correct for zones with
 * offsets in quarters of an hour.
 */

const quarter = 900_000;
const day = 86_400_000;

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface OracleBucket extends Span {
  readonly label: string;
}

export type Size = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const formats = new Map<string, Intl.DateTimeFormat>();

/** `YYYY-MM-DDTHH:mm:ss.SSS` on the zone's clock. */
export function wallTime(instant: number, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, format);
  }
  const milliseconds = String(((instant % 1000) + 1000) % 1000).padStart(3, '0');
  return `${format.format(instant).replace(' ', 'T')}.${milliseconds}`;
}

export function localDate(instant: number, zone: string): string {
  return wallTime(instant, zone).slice(0, 10);
}

function offsetOf(instant: number, zone: string): number {
  return Date.parse(`${wallTime(instant, zone)}Z`) - instant;
}

const midnights = new Map<string, number>();

/** The first instant of a date. */
export function startOfDate(date: string, zone: string): number {
  const key = `${zone} ${date}`;
  let start = midnights.get(key);
  if (start === undefined) {
    start = Date.parse(date) - day;
    while (localDate(start, zone) < date) start += quarter;
    midnights.set(key, start);
  }
  return start;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
}

/** The instants when the clock shows a time: none, one or two. */
export function instantsOf(wall: string, zone: string): readonly number[] {
  const asUtc = Date.parse(`${wall}Z`);
  const found: number[] = [];
  for (let offset = -day; offset <= day; offset += quarter)
    if (offsetOf(asUtc - offset, zone) === offset) found.unshift(asUtc - offset);
  return found.toSorted((a, b) => a - b);
}

/** The first date of the unit that a date belongs to. */
export function unitStart(date: string, size: Size, weekStart = 1): string {
  switch (size) {
    case 'week':
      return addDays(date, -((new Date(date).getUTCDay() - weekStart + 7) % 7));
    case 'month':
      return `${date.slice(0, 7)}-01`;
    case 'quarter':
      return `${date.slice(0, 5)}${String(Math.floor((Number(date.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`;
    case 'year':
      return `${date.slice(0, 4)}-01-01`;
    default:
      return date;
  }
}

function nextUnit(start: string, size: Size): string {
  let date = start;
  do date = addDays(date, 1);
  while (unitStart(date, size, new Date(start).getUTCDay()) === start);
  return date;
}

const buckets = new Map<string, OracleBucket>();

/** The bucket of an instant, with the label that answers use. */
export function bucketOf(instant: number, size: Size, zone: string, weekStart = 1): OracleBucket {
  if (size === 'hour' || size === 'minute' || size === 'second') return shortBucket(instant, lengths[size], zone);
  const start = unitStart(localDate(instant, zone), size, weekStart);
  const key = `${zone} ${size} ${start}`;
  const known = buckets.get(key);
  if (known) return known;
  const bucket = {
    start: startOfDate(start, zone),
    end: startOfDate(nextUnit(start, size), zone),
    label: `${start}T00:00:00.000`,
  };
  buckets.set(key, bucket);
  return bucket;
}

const lengths = { hour: 3_600_000, minute: 60_000, second: 1000 };

/** From the full hour, or a clock change, to the next of either. */
function shortBucket(instant: number, length: number, zone: string): OracleBucket {
  const step = Math.min(length, quarter);
  const offset = offsetOf(instant, zone);
  const isInside = (other: number) =>
    offsetOf(other, zone) === offset &&
    Math.floor((other + offset) / length) === Math.floor((instant + offset) / length);
  let start = Math.floor(instant / step) * step;
  while (isInside(start - step)) start -= step;
  let end = Math.floor(instant / step) * step + step;
  while (isInside(end)) end += step;
  return { start, end, label: wallTime(start, zone) + writeOffset(offset, zone) };
}

function writeOffset(offset: number, zone: string): string {
  if (zone === 'UTC') return 'Z';
  const minutes = Math.abs(offset) / 60_000;
  return `${offset < 0 ? '-' : '+'}${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Every bucket that overlaps a range. */
export function bucketsOf(range: Span, size: Size, zone: string, weekStart = 1): readonly OracleBucket[] {
  const found: OracleBucket[] = [];
  for (let at = range.start; at < range.end; at = found.at(-1)!.end) found.push(bucketOf(at, size, zone, weekStart));
  return found;
}

export interface OracleClock {
  readonly now: number;
  readonly zone: string;
  /** 1 is Monday, 0 Sunday. */
  readonly weekStart: number;
}

/** The ranges that the tests use, read by the rules of the design. */
export function rangeOf(written: string | readonly string[], clock: OracleClock): Span {
  if (typeof written === 'string') return phraseOf(written, clock);
  const [first, last = first] = written;
  if (first === undefined || last === undefined) throw new Error('a range without ends');
  const start = phraseOf(first, clock).start;
  return { start, end: Math.max(start, phraseOf(last, clock).end) };
}

function phraseOf(text: string, clock: OracleClock): Span {
  const { now, zone, weekStart } = clock;
  const today = localDate(now, zone);
  const dates = (from: string, until: string) => ({ start: startOfDate(from, zone), end: startOfDate(until, zone) });
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dates(text, addDays(text, 1));
  if (/^\d{4}-\d\d$/.test(text)) return dates(`${text}-01`, nextUnit(`${text}-01`, 'month'));
  if (/T.*Z$/.test(text)) return { start: Date.parse(text), end: Date.parse(text) + 1 };
  if (text.includes('T')) return writtenInstant(text, zone);
  if (text === 'today') return dates(today, addDays(today, 1));
  if (text === 'yesterday') return dates(addDays(today, -1), today);
  const lastDays = /^last (\d+) days$/.exec(text);
  if (lastDays) return dates(addDays(today, -Number(lastDays[1])), today);
  const thisUnit = /^this (week|month)$/.exec(text);
  if (thisUnit) {
    const start = unitStart(today, thisUnit[1] as Size, weekStart);
    return dates(start, nextUnit(start, thisUnit[1] as Size));
  }
  if (text === 'last week') {
    const start = unitStart(today, 'week', weekStart);
    return dates(addDays(start, -7), start);
  }
  const since = /^since (\S+)$/.exec(text);
  if (since)
    return { start: phraseOf(since[1]!, clock).start, end: Math.max(now + 1, phraseOf(since[1]!, clock).start) };
  if (text === 'week to date') return { start: startOfDate(unitStart(today, 'week', weekStart), zone), end: now + 1 };
  throw new Error(`a range that the oracle does not know: ${text}`);
}

/** A time that occurs twice spans both; one that the clock skips is the instant of the jump. */
function writtenInstant(text: string, zone: string): Span {
  const found = instantsOf(text.length === 19 ? `${text}.000` : text, zone);
  if (found.length > 0) return { start: found[0]!, end: found.at(-1)! + 1 };
  let jump = Date.parse(`${text.slice(0, 10)}T00:00:00Z`) - day;
  while (wallTime(jump, zone) < text) jump += quarter;
  return { start: jump, end: jump };
}
