import { bad, badWith, errorIssue, good, type Issue, type IssuePath, type Outcome, warningIssue } from '../outcome.ts';
import { didYouMean } from '../suggest.ts';
import { plural, quote } from '../text.ts';
import { toBucketEnd, toBucketStart, toUnitStart } from './buckets.ts';
import { addUnits, fixedLength, toDate } from './calendar.ts';
import { granularities, type Granularity, isCalendarUnit, type ShortUnit } from './granularity.ts';
import type { TimeContext, TimeRange } from './range.ts';
import { readWrittenTime, type WrittenTime } from './read-written-time.ts';
import { toInstant, toLocal } from './zone.ts';

/** The largest number in a phrase. */
const mostUnits = 1_000_000;

const firstYear = toDate(1, 0, 1);
const lastYearEnd = toDate(10_000, 0, 1);

/**
 * `count` whole units; the first begins `from` units after the current one (before it if negative). Issues:
 * `invalid-count` if the number in the phrase is 0 or above a million, `range-out-of-reach` outside the years 0001 to
 * 9999.
 */
function readUnits(
  number: number,
  from: number,
  count: number,
  unit: Granularity,
  context: TimeContext,
): Outcome<TimeRange> {
  return counted(number, unit, () => [toBoundary(from, unit, context), toBoundary(from + count, unit, context)]);
}

/**
 * The day that lies `number` units before today (`direction` -1) or after it, as Cube reads `1 month ago`: on 13 March,
 * 13 February. For hours and shorter units, that whole unit. Issues: as `readUnits`.
 */
function readDistance(number: number, direction: -1 | 1, unit: Granularity, context: TimeContext): Outcome<TimeRange> {
  if (!isCalendarUnit(unit)) return readUnits(number, direction * number, 1, unit, context);
  return counted(number, unit, () => {
    const day = addUnits(toUnitStart(context.now, 'day', context.zone), unit, direction * number);
    return [day, addUnits(day, 'day', 1)].map((local) =>
      within(local) === undefined ? undefined : toInstant(local, context.zone, 'first'),
    );
  });
}

function counted(number: number, unit: Granularity, toEnds: () => readonly (number | undefined)[]): Outcome<TimeRange> {
  if (number < 1 || number > mostUnits) {
    const hint = number < 1 ? `Did you mean "${unit === 'day' ? 'today' : `this ${unit}`}"?` : undefined;
    return badWith('invalid-count', `Use a number of ${unit}s from 1 to ${mostUnits}.`, { hint });
  }
  const [start, end] = toEnds();
  if (start !== undefined && end !== undefined) return good({ start, end });
  return badWith(
    'range-out-of-reach',
    `${number} ${plural(number, unit)} ${plural(number, 'reaches', 'reach')} beyond the years 0001 to 9999.`,
  );
}

/** The start of the unit that is n units after the current one. */
function toBoundary(n: number, unit: Granularity, context: TimeContext): number | undefined {
  if (!isCalendarUnit(unit)) return within(toShortBoundary(n, unit, context));
  const local = within(addUnits(toUnitStart(context.now, unit, context.zone, context.weekStart), unit, n));
  return local === undefined ? undefined : toInstant(local, context.zone, 'first');
}

/** Computed with elapsed time, and rounded down to a bucket if a clock change moved it by less than an hour. */
function toShortBoundary(n: number, unit: ShortUnit, { now, zone }: TimeContext): number {
  const length = fixedLength(unit);
  const near = n <= 0 ? toBucketStart(now, unit, zone) + n * length : toBucketEnd(now, unit, zone) + (n - 1) * length;
  return toBucketStart(near, unit, zone);
}

function within(time: number): number | undefined {
  return time >= firstYear && time <= lastYearEnd ? time : undefined;
}

const rangeExamples =
  'Write a time range like "last 7 days", "this month", "week to date", "2024-03", ' +
  '"from 2024-03-01 to 2024-03-31" or "since 2024-03-01".';
const pointExamples =
  'Write each end of a range like "2024-03-08", "2024-03-08T10:00", "yesterday", "3 days ago" or "now".';

/** A hint for text about a fiscal year, whose start is not known: `fiscal year`, `FY2026`. */
export function hintOnFiscal(text: string): string | undefined {
  return /\b(?:fiscal|financial|fy(?:\d\d){0,2})\b/i.test(text)
    ? 'Write the dates of the fiscal year, such as `from 2025-04-01 to 2026-03-31`.'
    : undefined;
}

/** The issue `unreadable-range` for text that is no range, with the nearest phrase. */
function unreadableRange(text: string): Issue {
  return errorIssue('unreadable-range', `${quote(text)} is not a valid time range.`, {
    hint: hintOnFiscal(text) ?? withNearest(text, phrases, rangeExamples),
  });
}

/** The issue `unreadable-range` for text that is no day, date or instant. */
function unreadablePoint(text: string): Issue {
  return errorIssue('unreadable-range', `${quote(text)} is not a valid start or end of a time range.`, {
    hint: withNearest(text, pointPhrases, pointExamples),
  });
}

/** Suggests phrases with the number in the text. Long text is no misspelled phrase. */
function withNearest(
  text: string,
  phrasesWith: (number: string | undefined) => readonly string[],
  examples: string,
): string {
  const near = text.length <= 60 ? didYouMean(text, phrasesWith(/\d+/.exec(text)?.[0])) : undefined;
  return near === undefined ? examples : `${near} ${examples}`;
}

function pointPhrases(number: string | undefined): readonly string[] {
  const days = ['today', 'yesterday', 'tomorrow', 'now'];
  return [
    ...days,
    ...granularities.flatMap((unit) => [
      `this ${unit}`,
      `last ${unit}`,
      `previous ${unit}`,
      `next ${unit}`,
      ...(number === undefined ? [] : [`${number} ${unit}s ago`, `${number} ${unit}s from now`]),
    ]),
  ];
}

function phrases(number: string | undefined): readonly string[] {
  const counted =
    number === undefined
      ? []
      : ['last', 'past', 'next'].flatMap((word) => granularities.map((unit) => `${word} ${number} ${unit}s`));
  const running = granularities.flatMap((unit) => [
    `${unit} to date`,
    ...(number === undefined ? [] : [`from ${number} ${unit}s ago to now`]),
  ]);
  return [...pointPhrases(number), ...counted, ...running];
}

/** One end of a range as written. */
interface Point {
  /** The whole local unit that the text names, or one millisecond. */
  readonly range: TimeRange;
  /** True if it names a whole unit (`2024-03-08`, `yesterday`), and not an instant. */
  readonly bare: boolean;
}

/** Matches a unit in singular or plural, for use inside a larger pattern. */
const unitPattern = `(${granularities.join('|')})s?`;

const singleUnit = new RegExp(`^(this|last|past|previous|next) ${unitPattern}$`);
const distance = new RegExp(`^(\\d+) ${unitPattern} (ago|from now)$`);
const offsets: Readonly<Record<string, number>> = {
  last: -1,
  past: -1,
  previous: -1,
  yesterday: -1,
  this: 0,
  today: 0,
  next: 1,
  tomorrow: 1,
};

/**
 * Reads one end of a range. A date, month, year or ISO week means that whole local unit, and so do `today`,
 * `yesterday`, `tomorrow` and `last month`. `3 days ago`, `1 month ago` and `2 weeks from now` mean that day. A time,
 * or `now`, means that millisecond. A time without an offset is wall time of the context's zone: one that occurs twice
 * spans its first to its last occurrence, and one that the clock skipped is empty. Issues: `unreadable-range`,
 * `invalid-date`, `invalid-count`, `range-out-of-reach`.
 */
export function readPoint(text: string, context: TimeContext): Outcome<Point> {
  return readIfPoint(normalized(text), context) ?? bad([unreadablePoint(text.trim())]);
}

/** In lower case, with single spaces. The last units are closed whether or not the text says so. */
function normalized(text: string): string {
  const spaced = text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  return spaced.replace(/^(last|past|previous) closed /, '$1 ');
}

/** Reads a point from normalized text; undefined if it does not look like one. */
function readIfPoint(text: string, context: TimeContext): Outcome<Point> | undefined {
  if (text === 'now') return good({ range: { start: context.now, end: context.now + 1 }, bare: false });
  if (text === 'today' || text === 'yesterday' || text === 'tomorrow')
    return toWholeUnit(readUnits(1, offsets[text]!, 1, 'day', context));
  const single = singleUnit.exec(text);
  if (single) return toWholeUnit(readUnits(1, offsets[single[1]!]!, 1, single[2] as Granularity, context));
  const away = distance.exec(text);
  if (away)
    return toWholeUnit(readDistance(Number(away[1]), away[3] === 'ago' ? -1 : 1, away[2] as Granularity, context));
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

const countedUnits = new RegExp(`^(last|past|previous|next) (\\d+) ${unitPattern}$`);
const unitToDate = new RegExp(`^${unitPattern} to date$`);
const fromTo = /^from (.+?) to (.+)$/;
// Text with a space fails at once, not after a try for each pair of dots.
const withDots = /^(?=\S+$)(\S+?)\.\.(\S+)$/;
const since = /^since (.+)$/;

/**
 * Reads a range of time. Text is a phrase (`last 7 days`, `this month`, `week to date`, `from 30 days ago to now`,
 * `since 2024-03-01`, `2024-03-01..2024-03-31`), a date, a month, a year or an ISO week. A list is one such text, or
 * two points: from the start of the first to the end of the second. Phrases are relative to the context's clock and
 * zone, in any case and spacing. The present millisecond is included. Issues, with the place in the list as path:
 * `unreadable-range`, `invalid-date`, `invalid-count`, `range-out-of-reach`; the warning `reversed-range` if the end
 * comes first, and the range is empty.
 */
export function readDateRange(text: string | readonly string[], context: TimeContext): Outcome<TimeRange> {
  if (typeof text === 'string') return readPhrase(text, context);
  const [first, last] = text;
  if (first !== undefined && text.length === 1) return at([0], readPhrase(first, context));
  if (first !== undefined && last !== undefined && text.length === 2) {
    return fromFirstToLast(at([0], readPoint(first, context)), at([1], readPoint(last, context)));
  }
  return badWith('unreadable-range', `A range is one phrase or two ends, not a list of ${text.length}.`, {
    hint: 'Write `[first day, last day]`.',
  });
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
  const between = fromTo.exec(phrase) ?? withDots.exec(phrase);
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
  return good({ start, end: start }, [
    warningIssue('reversed-range', 'The range is empty: it ends before it begins.', { hint }),
  ]);
}

function at<T>(path: IssuePath, outcome: Outcome<T>): Outcome<T> {
  const issues = outcome.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  return outcome.ok ? good(outcome.value, issues) : bad(issues);
}
