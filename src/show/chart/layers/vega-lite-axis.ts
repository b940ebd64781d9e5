import type { ChartAxis, ChartPanel, VegaLiteSpec } from '../chart.ts';
import { isBreak, toShortTimes } from '../time-places.ts';

/** Large amounts are labelled in these units, to keep labels short. */
const units = [
  [1e16, 0, ''],
  [1e13, 1e12, 'T'],
  [1e10, 1e9, 'B'],
  [1e7, 1e6, 'M'],
] as const;

/** Labels the axis of a measure. The expressions are fixed, and never contain text of the data. */
export function toValueLabels({ format, series }: Pick<ChartPanel, 'format' | 'series'>): VegaLiteSpec {
  const size = largest(series.flatMap(({ values }) => values));
  const sign = format === 'percent' ? '%' : '';
  const [, divisor, name] = units.find(([least]) => size >= least) ?? [0, 1, ''];
  if (divisor === 0 || (size > 0 && size < 1e-6))
    return { format: '~e', labelExpr: `datum.value == 0 ? '0${sign}' : datum.label${sign && ` + '${sign}'`}` };
  if (divisor > 1)
    return { labelExpr: `datum.value == 0 ? '0${sign}' : format(datum.value / ${divisor}, ',~r') + '${name}${sign}'` };
  return { format: ',f', ...(sign && { labelExpr: `datum.label + '${sign}'` }) };
}

interface ScaleOptions {
  /** Lengths and areas start at 0. Lines may omit 0 if it is far from the values. */
  readonly fromZero: boolean;
  /** Fraction of the scale that stays free beyond the values at each side of 0, for labels. */
  readonly free?: number | undefined;
  /** Extra values that the scale includes. */
  readonly extent?: readonly number[] | undefined;
}

/** The scale of a measure. It is never empty. */
export function toValueScale(
  series: ChartPanel['series'],
  { fromZero, free = 0, extent = [] }: ScaleOptions,
): VegaLiteSpec {
  const values = [...series.flatMap((each) => each.values).filter((value) => value !== null), ...extent];
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (least === 0 && most === 0) return { domain: [0, 1] };
  if (free > 0) return { domain: leaveFree(Math.min(0, least), Math.max(0, most), free), nice: false };
  // If all values are above half of the largest, 0 would take up more than half of the picture.
  const zero = fromZero || least <= most / 2 || least === most;
  if (extent.length === 0) return { zero, nice: true };
  return { domain: zero ? [Math.min(0, least), Math.max(0, most)] : [least, most], nice: true };
}

/** At most this fraction of a scale is free at each of two sides. */
const mostFree = 0.35;

function leaveFree(least: number, most: number, free: number): readonly [number, number] {
  const sides = (least < 0 ? 1 : 0) + (most > 0 ? 1 : 0);
  const share = sides > 1 ? Math.min(mostFree, free) : free;
  // Divide first: the difference of two large numbers can overflow.
  const reach = (most / (1 - sides * share) - least / (1 - sides * share)) * share;
  const room = Number.isFinite(reach) ? reach : 0;
  return [least < 0 ? least - room : 0, most > 0 ? most + room : 0];
}

function largest(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}

const day = 86_400_000;
/** An axis of at least this length labels the first of a month with the month. */
const longAxis = 150 * day;

/** True if some places of a time axis stand for several missing buckets. */
export function isBroken(axis: ChartAxis): boolean {
  return axis.scale === 'time' && axis.positions.some((_, place) => isBreak(axis, place));
}

/** Tick formats, by the largest unit that begins at the tick. */
function toTimeFormats({ positions, granularity }: ChartAxis): VegaLiteSpec {
  const first = positions[0] ?? 0;
  const last = positions.at(-1) ?? first;
  const inMonths =
    last - first >= longAxis || granularity === 'month' || granularity === 'quarter' || granularity === 'year';
  const month = inMonths ? '%b' : '%b %d';
  return {
    year: inMonths ? '%Y' : isOverYears(positions) ? '%b %d %Y' : '%b %d',
    quarter: month,
    month,
    week: '%b %d',
    date: '%b %d',
    hours: '%H:%M',
    minutes: '%H:%M',
    seconds: '%H:%M:%S',
    milliseconds: '%H:%M:%S.%L',
  };
}

function isOverYears(positions: readonly number[]): boolean {
  const [first = 0, last = first] = [positions[0], positions.at(-1)];
  return new Date(first).getUTCFullYear() !== new Date(last).getUTCFullYear();
}

const labelWidth = 64;
const dateWidth = 80;

interface RunningOptions {
  readonly toEnd: boolean;
  readonly annotated: readonly number[];
}

/** The first and last position on an axis of times or numbers. */
export function toRunningDomain(
  axis: ChartAxis,
  { toEnd, annotated }: RunningOptions,
): readonly [start: number, end: number] {
  const first = axis.positions[0] ?? 0;
  const last = Math.max(axis.positions.at(-1) ?? first, ...(toEnd ? [axis.ends.at(-1) ?? first] : []), ...annotated);
  const reach = axis.scale === 'time' ? day / 2 : 0.5;
  return first === last ? [first - reach, last + reach] : [first, last];
}

/** The `x` axis of times or numbers, with its labels. */
export function toRunningAxis(
  axis: ChartAxis,
  { width, ...options }: RunningOptions & { readonly width: number },
): VegaLiteSpec {
  const domain = toRunningDomain(axis, options);
  if (axis.scale === 'number')
    return {
      field: 'x',
      type: 'quantitative',
      scale: { domain, nice: false, zero: false },
      axis: {
        format: ',~r',
        grid: false,
        title: axis.title,
        // No ticks between whole numbers.
        ...(axis.positions.every(Number.isInteger) && { tickMinStep: 1 }),
      },
    };
  const ticks = axis.ticks ? labelAt(axis.ticks) : toTimeTicks(axis, width);
  return {
    field: 'x',
    type: 'temporal',
    scale: { type: 'utc', domain: domain.map(toDateTime) },
    axis: { ...ticks, grid: false, title: null, labelFlush: false },
  };
}

/**
 * Vega-Lite reads a bare number as a year, and the years 0 to 99 as 1900 to 1999. So these times are written as months
 * before the year 100.
 */
function toDateTime(position: number): VegaLiteSpec {
  const date = new Date(position);
  const year = Math.max(100, date.getUTCFullYear());
  return {
    year,
    month: date.getUTCMonth() + 1 - 12 * (year - date.getUTCFullYear()),
    date: date.getUTCDate(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: date.getUTCMilliseconds(),
    utc: true,
  };
}

/** Labels for positions that are elapsed time. The expression contains only numbers and clock digits, never data. */
function labelAt(ticks: NonNullable<ChartAxis['ticks']>): VegaLiteSpec {
  const labels = Object.fromEntries(ticks.map(({ position, label }) => [String(position), label]));
  return {
    values: ticks.map(({ position }) => toDateTime(position)),
    labelExpr: `${JSON.stringify(labels)}[toString(toNumber(datum.value))]`,
  };
}

/** Vega has no weeks that start on Monday. Only buckets get labels, unless there are too many or too few of them. */
function toTimeTicks(axis: ChartAxis, width: number): VegaLiteSpec {
  const { granularity, positions } = axis;
  const most = Math.max(2, Math.floor(width / labelWidth));
  const isWeekly = granularity === 'week';
  if (granularity === undefined || isBroken(axis) || (!isWeekly && positions.length > most))
    return { format: toTimeFormats(axis), tickCount: most };
  // Few of these buckets begin with a year, which would name it.
  const isDated = (isWeekly || granularity === 'day') && isOverYears(positions);
  const every = Math.ceil(positions.length / (isDated ? Math.max(2, Math.floor(width / dateWidth)) : most));
  const values = positions.filter((_, place) => place % every === 0).map(toDateTime);
  return { format: isDated ? '%Y-%m-%d' : toTimeFormats(axis), values };
}

/** Places in bands of equal width, with names beside them or short times below. */
export function toBandAxis(
  axis: ChartAxis,
  { width, field }: { readonly width: number; readonly field: string },
): VegaLiteSpec {
  const labels = toBandLabels(axis);
  const across: VegaLiteSpec = axis.ordered
    ? { labelAngle: 0, labelOverlap: true }
    : { labelLimit: Math.round(width * 0.4) };
  return {
    field,
    type: 'nominal',
    sort: null,
    scale: { domain: labels },
    axis: { title: null, grid: false, ticks: false, domain: axis.ordered, ...across },
  };
}

/** The left edge of a view that contains only texts. */
export const leftEdge: VegaLiteSpec = {
  datum: 0,
  type: 'quantitative',
  scale: { domain: [0, 1] },
  axis: { labels: false, ticks: false, grid: false, domain: false, title: null },
};

/** The name of each band in a picture. */
export function toBandLabels(axis: ChartAxis): readonly string[] {
  return axis.granularity === undefined ? axis.labels : toShortTimes(axis);
}
