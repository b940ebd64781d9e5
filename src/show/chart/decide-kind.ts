import type { ChartKind } from '../../ask/chart/chart-wish.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toGroups } from '../../shape/values/codes.ts';
import { type ColumnRoles, type MeasureColumns, toDrawable } from './column-roles.ts';

/** What a result is like, as far as it matters for how to draw it. */
interface ResultShape {
  /** Steps that users take one after the other, all users together. */
  readonly funnel: boolean;
  /** There is an axis of time. */
  readonly time: boolean;
  /** Two axes that both have an order of their own: times and numbers, such as cohort and period. */
  readonly twoOrders: boolean;
  /** The places along the axis are numbers. */
  readonly numbers: boolean;
  /** Of numbers: how far the greatest is from the least; without end where some are not whole. */
  readonly spread: number;
  /** Columns that tell rows apart, the one along the axis included. */
  readonly dimensions: number;
  /** Different places along the axis. */
  readonly places: number;
  /** Different values of what is not along the axis; 1 where there is nothing else. */
  readonly series: number;
  readonly measures: number;
  /** Some measures share a scale, or are beside those of an earlier range. */
  readonly shared: boolean;
  /** The first measure is a sum of parts, none of which is below 0. */
  readonly parts: boolean;
}

interface Rule {
  readonly kind: ChartKind;
  readonly when: (shape: ResultShape) => boolean;
  readonly because: string;
}

/** Columns are easily counted up to a year of months or a dozen weeks. */
const fewPlaces = 12;
/** More columns of numbers than these are a line. */
const fewNumbers = 40;
/** More bars in groups than these are no longer compared, but searched. */
const fewBars = 40;

/** The first rule that holds decides. */
const rules: readonly Rule[] = [
  { kind: 'funnel', when: ({ funnel }) => funnel, because: 'steps are read from the top, and what matters is who is lost between them' },
  { kind: 'stat', when: ({ dimensions }) => dimensions === 0, because: 'one number is best said' },
  { kind: 'heatmap', when: ({ twoOrders, measures }) => twoOrders && measures === 1, because: 'where both axes have an order, what is to be seen are the shapes that run across both' },
  { kind: 'column', when: ({ time, places, series, shared, parts }) => time && parts && series === 1 && !shared && places <= fewPlaces, because: 'a few amounts are compared by their heights' },
  { kind: 'stacked', when: ({ time, places, series, shared, parts }) => time && parts && series > 1 && !shared && places <= fewPlaces, because: 'a few amounts are compared by their heights, and their parts add up to them' },
  { kind: 'area', when: ({ time, series, shared, parts }) => time && parts && series === 1 && !shared, because: 'an amount over time has a volume, and begins at 0' },
  { kind: 'line', when: ({ time }) => time, because: 'a line shows how something changes, and several lines can be told apart from a baseline that they share' },
  { kind: 'scatter', when: ({ dimensions, measures, places }) => dimensions === 1 && measures === 2 && places > fewPlaces, because: 'of many things with two measures each, how the two go together says more than each one’s size' },
  { kind: 'column', when: ({ numbers, dimensions, spread, shared }) => numbers && dimensions === 1 && !shared && spread <= fewNumbers, because: 'numbers have an order of their own, and how often each occurs is a distribution' },
  { kind: 'line', when: ({ numbers, dimensions }) => numbers && dimensions === 1, because: 'a distribution over many numbers is a curve' },
  { kind: 'bar', when: ({ dimensions, shared }) => dimensions === 1 && !shared, because: 'names need room, and sizes are compared when they stand in their order' },
  { kind: 'grouped', when: ({ dimensions, places, series }) => dimensions === 1 && places * series <= 2 * fewBars, because: 'measures of one thing belong beside one another' },
  { kind: 'stacked', when: ({ parts, shared }) => parts && !shared, because: 'parts add up to the whole bar' },
  { kind: 'grouped', when: ({ places, series }) => places * series <= fewBars, because: 'what does not add up is compared side by side' },
  { kind: 'heatmap', when: () => true, because: 'a table of colours holds what is too much for bars' },
];

/** How a result is best drawn. */
function decideKind(shape: ResultShape): ChartKind {
  return rules.find(({ when }) => when(shape))?.kind ?? 'heatmap';
}

/** What each kind needs, and what to say where it is not there. */
const needs: Readonly<Record<ChartKind, readonly [fits: (shape: ResultShape) => boolean, what: string]>> = {
  line: [({ time, numbers }) => time || numbers, 'a time or a number to run along'],
  area: [({ time, numbers, series, parts, shared }) => (time || numbers) && !shared && (series === 1 || parts), 'a time or a number to run along, and amounts that add up'],
  column: [({ dimensions }) => dimensions > 0, 'something to compare'],
  bar: [({ dimensions }) => dimensions > 0, 'something to compare'],
  grouped: [({ dimensions }) => dimensions > 0, 'something to compare'],
  stacked: [({ dimensions, parts, shared }) => dimensions > 0 && parts && !shared, 'a measure that adds up and is never below 0'],
  stat: [({ dimensions, time }) => dimensions === 0 || (time && dimensions === 1), 'one row, or a time'],
  funnel: [({ funnel }) => funnel, 'the figures of a funnel'],
  heatmap: [({ dimensions }) => dimensions > 1, 'two dimensions'],
  scatter: [({ measures, dimensions }) => measures > 1 && dimensions > 0, 'two measures, and something that has them'],
  histogram: [({ measures, dimensions, shared }) => measures === 1 && dimensions > 0 && !shared, 'one measure of many groups, over one range'],
};

/** The kind to draw: what is wished for where it fits, else what is decided. Throws `InvalidInputError` for a wish that does not fit. */
export function fitKind(wish: ChartKind | undefined, shape: ResultShape): ChartKind {
  if (wish === undefined) return decideKind(shape);
  const [fits, what] = needs[wish];
  if (!fits(shape)) {
    const message = `This answer cannot be drawn as ${wish}: that takes ${what}.`;
    const hint = `Leave the choice to sluice: it would be ${decideKind(shape)}.`;
    throw new InvalidInputError(message, [errorIssue('unfit-chart', message, { path: ['chart'], hint })], { hint });
  }
  if (wish !== 'bar' && wish !== 'column') return wish;
  // Both mean the same: names need room beside their bars, times and numbers run from left to right.
  const { time, numbers, series, parts, shared } = shape;
  if (series > 1 || shared) return parts && !shared ? 'stacked' : 'grouped';
  return time || numbers ? 'column' : 'bar';
}

/** What runs along the axis, and what tells series apart. */
export interface Axes {
  readonly along: Column | undefined;
  readonly across: readonly Column[];
}

/**
 * Time runs along the axis. Where a time is followed by its periods, 0, 1, 2 and so on, or by another time, these do, and
 * the time tells the cohorts apart. Else numbers run along, or what has the most values: names need the room of an axis.
 */
export function toAxes(result: Result<object>, { time, dimensions, steps }: ColumnRoles): Axes {
  const [only, another] = dimensions;
  if (time && only && !another && (only.kind === 'time' || isPeriod(result, only))) return { along: only, across: [time] };
  if (time) return { along: time, across: dimensions };
  const sized = dimensions.filter((column) => column.kind !== 'compare' && column !== steps);
  const along = sized.find((column) => column.type === 'number') ?? sized.reduce<Column | undefined>((most, column) => (most && countOf(result, most) >= countOf(result, column) ? most : column), undefined) ?? only;
  return { along, across: dimensions.filter((column) => column !== along) };
}

export function toShape(result: Result<object>, { funnel, measures, time, dimensions }: ColumnRoles, { along, across }: Axes, groups: readonly (readonly MeasureColumns[])[]): ResultShape {
  const comparesRows = dimensions.some(({ kind }) => kind === 'compare');
  const first = measures[0]?.column;
  return {
    funnel: funnel !== undefined && !time && dimensions.length === 0 && countOf(result, funnel.step) === result.rowCount,
    time: along?.type === 'time',
    twoOrders: time !== undefined && across[0] === time,
    numbers: along?.type === 'number',
    dimensions: (along && along.kind !== 'compare' ? 1 : 0) + across.filter(({ kind }) => kind !== 'compare').length,
    places: along ? countOf(result, along) : 1,
    spread: along?.type === 'number' ? spreadOf(result, along) : 0,
    series: across.length === 0 ? 1 : toGroups(across.map(({ key }) => result.codes(key)), result.rowCount).firstRows.length,
    measures: measures.length,
    shared: groups.some((group) => group.length > 1 || group.some(({ previous }) => previous.length > 0)) || comparesRows,
    parts: first !== undefined && first.additive && measures.every(({ column }) => isNeverNegative(result, column.key)),
  };
}

/** How many whole numbers there are from the least to the greatest; without end where some are not whole. */
function spreadOf(result: Result<object>, { key }: Column): number {
  const numbers = result.codes(key).dictionary.map(toDrawable).filter((number) => number !== null);
  if (numbers.length === 0) return 0;
  return numbers.every(Number.isInteger) ? numbers.reduce((a, b) => Math.max(a, b)) - numbers.reduce((a, b) => Math.min(a, b)) : Infinity;
}

function countOf(result: Result<object>, { key }: Column): number {
  return result.codes(key).dictionary.length;
}

const mostPeriods = 200;

/** Whole numbers that count from 0 or 1. */
function isPeriod(result: Result<object>, { key, type }: Column): boolean {
  if (type !== 'number') return false;
  const numbers = result.codes(key).dictionary.map(toDrawable);
  const least = numbers.reduce<number>((a, b) => Math.min(a, b ?? Infinity), Infinity);
  return numbers.length > 2 && (least === 0 || least === 1) && numbers.every((number) => number !== null && Number.isInteger(number) && number <= mostPeriods);
}

function isNeverNegative(result: Result<object>, key: string): boolean {
  for (const value of result.values(key)) if ((toDrawable(value) ?? 0) < 0) return false;
  return true;
}
