import { type Column, isTimePart } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toGroups } from '../../shape/values/codes.ts';
import { type ColumnRoles, type MeasureColumns, toDrawable } from './column-roles.ts';
import { isBreak, toTimePlaces } from './time-places.ts';

/** The properties of a result that decide how to draw it. */
export interface ResultShape {
  /** Consecutive steps of all users together. */
  readonly funnel: boolean;
  /** Edges from step to step, with a source and a target. */
  readonly paths: boolean;
  /** The result has a time axis. */
  readonly time: boolean;
  /** Two axes that both have a natural order: times and numbers, such as cohort and period, or hour and weekday. */
  readonly twoOrders: boolean;
  /** The places along the axis are numbers. */
  readonly numbers: boolean;
  /** For numbers: the difference of greatest and least; Infinity if some are not whole. */
  readonly spread: number;
  /** Columns that distinguish rows, including the one along the axis. */
  readonly dimensions: number;
  /** Number of places along the axis, with those of empty buckets of time; Infinity if there are too many to draw. */
  readonly places: number;
  /** Number of distinct values of the columns not along the axis; 1 if there are none. */
  readonly series: number;
  readonly measures: number;
  /** Some measures share a scale, or appear with those of an earlier range. */
  readonly shared: boolean;
  /** The first measure is a sum of non-negative parts. */
  readonly parts: boolean;
  /** The first measure has parts that never overlap; some are negative and count as losses. */
  readonly opposed: boolean;
}

/** The column along the axis, and those that distinguish series. */
export interface Axes {
  readonly along: Column | undefined;
  readonly across: readonly Column[];
}

/**
 * Time runs along the axis. If a time is followed by its periods (0, 1, 2 …) or by another time, these run along the
 * axis, and the first time distinguishes the cohorts. Without a time, numbers run along the axis, or else the column
 * with the most values, because an axis has room for names.
 */
export function toAxes(result: Result<object>, { time, dimensions, steps }: ColumnRoles): Axes {
  const [only, another] = dimensions;
  if (time && only && !another && (only.kind === 'time' || isPeriod(result, only)))
    return { along: only, across: [time] };
  if (time) return { along: time, across: dimensions };
  const sized = dimensions.filter((column) => column.kind !== 'compare' && column !== steps);
  const along =
    (sized.every(isTimePart) ? undefined : sized.find((column) => column.type === 'number')) ??
    sized.reduce<Column | undefined>(
      (most, column) => (most && countOf(result, most) >= countOf(result, column) ? most : column),
      undefined,
    ) ??
    only;
  return { along, across: dimensions.filter((column) => column !== along) };
}

export function toShape(
  result: Result<object>,
  { funnel, paths, measures, time, dimensions }: ColumnRoles,
  { along, across }: Axes,
  groups: readonly (readonly MeasureColumns[])[],
): ResultShape {
  const comparesRows = dimensions.some(({ kind }) => kind === 'compare');
  const first = measures[0]?.column;
  return {
    funnel:
      funnel !== undefined && !time && dimensions.length === 0 && countOf(result, funnel.step) === result.rowCount,
    paths: paths !== undefined && measures.length > 0,
    time: along?.type === 'time',
    twoOrders:
      (time !== undefined && across[0] === time) ||
      (along !== undefined && across.length === 1 && [along, ...across].every(isTimePart)),
    numbers: along?.type === 'number',
    dimensions: (along && along.kind !== 'compare' ? 1 : 0) + across.filter(({ kind }) => kind !== 'compare').length,
    places: !along ? 1 : along.type === 'time' ? countTimes(result, along) : countOf(result, along),
    spread: along?.type === 'number' ? spreadOf(result, along) : 0,
    series:
      across.length === 0
        ? 1
        : toGroups(
            across.map(({ key }) => result.codes(key)),
            result.rowCount,
          ).firstRows.length,
    measures: measures.length,
    shared:
      groups.some((group) => group.length > 1 || group.some(({ previous }) => previous.length > 0)) || comparesRows,
    opposed: first?.disjoint === true && !isNeverNegative(result, first.key),
    parts: first !== undefined && first.additive && measures.every(({ column }) => isNeverNegative(result, column.key)),
  };
}

/** The difference of the greatest and the least number; Infinity if some are not whole. */
function spreadOf(result: Result<object>, { key }: Column): number {
  const numbers = result
    .codes(key)
    .dictionary.map(toDrawable)
    .filter((number) => number !== null);
  if (numbers.length === 0) return 0;
  return numbers.every(Number.isInteger)
    ? numbers.reduce((a, b) => Math.max(a, b)) - numbers.reduce((a, b) => Math.min(a, b))
    : Infinity;
}

function countOf(result: Result<object>, { key }: Column): number {
  return result.codes(key).dictionary.length;
}

function countTimes(result: Result<object>, column: Column): number {
  const texts = result.codes(column.key).dictionary.flatMap((value) => (typeof value === 'string' ? [value] : []));
  const times = toTimePlaces(texts, column, result.provenance.zone);
  return times.positions.some((_, place) => isBreak(times, place)) ? Infinity : times.positions.length;
}

const mostPeriods = 200;

/** True for whole numbers that count from 0 or 1. */
function isPeriod(result: Result<object>, { key, type }: Column): boolean {
  if (type !== 'number') return false;
  const numbers = result.codes(key).dictionary.map(toDrawable);
  const least = numbers.reduce<number>((a, b) => Math.min(a, b ?? Infinity), Infinity);
  return (
    numbers.length > 2 &&
    (least === 0 || least === 1) &&
    numbers.every((number) => number !== null && Number.isInteger(number) && number <= mostPeriods)
  );
}

function isNeverNegative(result: Result<object>, key: string): boolean {
  for (const value of result.values(key)) if ((toDrawable(value) ?? 0) < 0) return false;
  return true;
}
