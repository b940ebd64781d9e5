import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { plural, quote } from '../../ask/text.ts';
import { day } from '../../ask/time/granularity.ts';
import { readWrittenTime } from '../../ask/time/read-written-time.ts';
import type { SampleOptions } from './sample-events.ts';

/** Identifiers are built from 32 bits. */
const mostEvents = 1_000_000_000;

const firstDay = '1970-01-01';
/** The day after the last one is the present for questions about the sample. */
const lastDay = '9999-12-30';

/** Throws `InvalidInputError` with all problems if the options are invalid. */
export function checkSample({ seed, events, days, to }: SampleOptions): void {
  const wrong = [
    ...(isWhole(events, 1, mostEvents) ? [] : [`A sample must have 1 to ${mostEvents} events, not ${events}.`]),
    ...(isWhole(days, 1, Infinity) ? [] : [`A sample must cover at least 1 whole day, not ${days}.`]),
    ...(isWhole(seed, 0, Number.MAX_SAFE_INTEGER)
      ? []
      : [`A seed must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${seed}.`]),
    ...(events >= 1 && events < days
      ? [
          `${events} ${plural(events, 'event')} cannot cover ${days} ${plural(days, 'day')}: ` +
            'use more events or fewer days.',
        ]
      : []),
    ...wrongDay(to, days),
  ];
  const [first] = wrong;
  if (first === undefined) return;
  throw new InvalidInputError(
    first,
    wrong.map((message) => errorIssue('invalid-sample', message)),
  );
}

function isWhole(number: number, least: number, most: number): boolean {
  return Number.isInteger(number) && number >= least && number <= most;
}

function wrongDay(to: string, days: number): readonly string[] {
  const written = readWrittenTime(to);
  if (!written?.ok || written.value.unit !== 'day' || to.length !== lastDay.length)
    return [`The last day must be a date such as 2026-10-20, not ${quote(to)}.`];
  if (to > lastDay) return [`The last day must be ${lastDay} or earlier, not ${to}.`];
  if (written.value.local - (days - 1) * day < Date.parse(firstDay))
    return [`The first of ${days} ${plural(days, 'day')} until ${to} would be before ${firstDay}.`];
  return [];
}
