import { plural } from '../../ask/text.ts';
import {
  type CustomGranularity,
  day,
  type GridStep,
  hour,
  minute,
  second,
  type WrittenGrid,
} from '../../ask/time/granularity.ts';
import { addUnits } from '../../ask/time/calendar.ts';
import { readWrittenTime } from '../../ask/time/read-written-time.ts';
import { toLocal } from '../../ask/time/zone.ts';
import type { GranularityDefinition, GridRule } from './model.ts';

/** The granularity for a query in a zone. */
export function toCustomGranularity(
  { name, title, rule, written }: GranularityDefinition,
  zone: string,
): CustomGranularity {
  const origin = rule && (rule.origin.isInstant ? toLocal(rule.origin.time, zone) : rule.origin.time);
  return { name, title, grid: rule && origin !== undefined ? { ...rule, origin } : undefined, written };
}

/** The title for people: `fiscal quarter`. */
export function granularityTitle(name: string, title?: string | null): string {
  return title ?? name.replaceAll('_', ' ');
}

const units: Readonly<Record<string, GridStep>> = {
  second: { months: 0, length: second },
  minute: { months: 0, length: minute },
  hour: { months: 0, length: hour },
  day: { months: 0, length: day },
  week: { months: 0, length: 7 * day },
  month: { months: 1, length: 0 },
  quarter: { months: 3, length: 0 },
  year: { months: 12, length: 0 },
};

/** How many of a unit fill the next larger one. Without an origin, the interval must divide this number. */
const most: Readonly<Record<string, number>> = {
  second: 60,
  minute: 60,
  hour: 24,
  day: 1,
  week: 1,
  month: 12,
  quarter: 4,
};

interface Amount {
  readonly count: number;
  readonly unit: string;
}

function readAmounts(text: string): readonly Amount[] | undefined {
  if (!/^\s*-?\d{1,6}\s+[a-z]+(\s+-?\d{1,6}\s+[a-z]+){0,7}\s*$/.test(text)) return undefined;
  const amounts = [...text.matchAll(/(-?\d+)\s+([a-z]+)/g)].map(([, count, word = '']) => ({
    count: Number(count),
    unit: word.replace(/s$/, ''),
  }));
  return amounts.every(({ unit }) => Object.hasOwn(units, unit)) ? amounts : undefined;
}

function sumOf(amounts: readonly Amount[]): GridStep {
  return amounts.reduce(
    (sum, { count, unit }) => ({
      months: sum.months + count * units[unit]!.months,
      length: sum.length + count * units[unit]!.length,
    }),
    { months: 0, length: 0 },
  );
}

/** More months than the calendar has, so that times cannot overflow. */
const mostMonths = 12 * 1000;

/** Reads the rule; returns a sentence if it is invalid. */
export function readGridRule({ interval, origin, offset }: WrittenGrid): GridRule | string {
  const amounts = readAmounts(interval);
  if (!amounts || amounts.some(({ count }) => count < 0))
    return `The interval "${interval}" is not a duration such as \`15 minutes\`.`;
  const step = sumOf(amounts);
  if (step.months === 0 && step.length === 0) return `The interval "${interval}" is empty.`;
  if (step.months > mostMonths || step.length > mostMonths * 28 * day) return `The interval "${interval}" is too long.`;
  if (origin !== undefined && offset !== undefined) return 'It has both `origin` and `offset`.';
  if (origin !== undefined) {
    const read = readWrittenTime(origin.trim());
    if (!read?.ok) return `The origin "${origin}" is not a date or time.`;
    const { local, offset: fromUtc } = read.value;
    const time = local - (fromUtc ?? 0);
    return { origin: { time, isInstant: fromUtc !== undefined }, step, offset: 0 };
  }
  const [only, ...more] = amounts;
  if (more.length > 0 || !only || !dividesItsLarger(only))
    return `An interval of "${interval}" needs an \`origin\`, because it does not say when its buckets begin.`;
  const moved = offset === undefined ? [] : readAmounts(offset);
  if (!moved) return `The offset "${offset}" is not a duration such as \`-1 day\`.`;
  const shift = sumOf(moved);
  if (Math.abs(shift.months) > mostMonths || Math.abs(shift.length) > mostMonths * 28 * day)
    return `The offset "${offset}" is too long.`;
  // A Monday. All other intervals begin with a year.
  const time = only.unit === 'week' ? Date.UTC(2000, 0, 3) : Date.UTC(2000, 0, 1);
  return { origin: { time: addUnits(time, 'month', shift.months), isInstant: false }, step, offset: shift.length };
}

/** Years have no larger unit: without an origin, any year could begin an interval of several. */
function dividesItsLarger({ count, unit }: Amount): boolean {
  return unit === 'year' ? count === 1 : (most[unit] ?? 0) % count === 0;
}

/**
 * The granularity that a name such as `minutes15` or `hours6` stands for, in any cube: buckets from midnight on the
 * clock of the zone. A sentence if such buckets do not fill an hour or a day; undefined for other names.
 */
export function readSeveralUnits(name: string, zone: string): CustomGranularity | string | undefined {
  const [, unit, digits] = /^(minute|hour)s(\d{1,3})$/.exec(name) ?? [];
  if (unit === undefined) return undefined;
  const count = Number(digits);
  if (count === 0 || !dividesItsLarger({ count, unit }))
    return `Buckets of ${count} ${plural(count, unit)} do not fill ${unit === 'hour' ? 'a day' : 'an hour'} evenly.`;
  const written = { interval: `${count} ${unit}` };
  const rule = readGridRule(written) as GridRule;
  return toCustomGranularity({ name, title: `${count} ${plural(count, unit)}`, rule, written }, zone);
}
