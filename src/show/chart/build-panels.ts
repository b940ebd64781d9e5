import type { Annotation } from '../../ask/chart/annotation.ts';
import { type Column, labelOf } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { type AxisPlaces, toCategoryAxis, toNumberAxis, toSinglePlace, toTimeAxis } from './axis-places.ts';
import { joinHeadings } from '../labels/headings.ts';
import { type Cell, toGrid } from './chart-grid.ts';
import { type SeriesNames, toSeriesNames } from './chart-series.ts';
import type { ChartAxis, ChartBody, ChartPanel, ChartSeries } from './chart.ts';
import { type ColumnRoles, type MeasureColumns, toDrawable } from './column-roles.ts';
import { toDistinct, toName, toShownText } from './names.ts';
import type { Axes } from './result-shape.ts';
import { breakSign, isBreak } from './time-places.ts';

/** A result, with the role of each column in a chart. */
export interface ChartInput {
  readonly result: Result<object>;
  readonly roles: ColumnRoles;
  readonly axes: Axes;
  /** Measures, grouped by the scale they share; see `toScaleGroups`. */
  readonly groups: readonly (readonly MeasureColumns[])[];
  /** Display names of columns, by key. */
  readonly headings: ReadonlyMap<string, string>;
  /** Drawn over time only. */
  readonly annotations: readonly Annotation[];
  /** Its value follows the name of each series, in brackets. All rows of a series have the same value. */
  readonly aside?: Column | undefined;
  /** Each of its values gets a panel of the only measure. */
  readonly apart?: Column | undefined;
}

interface PanelLayout {
  /**
   * Which axes have bands of equal width: `numbers`, or `always` (times too). By default, positions are proportional.
   */
  readonly bands?: 'numbers' | 'always' | undefined;
  /** Sum surplus places and series into one, if the measure is additive (default: true). */
  readonly gathers?: boolean | undefined;
  readonly mostSeries?: number | undefined;
}

/** The values of all measures along the axis, one panel per scale. */
export function buildPanels(input: ChartInput, layout: PanelLayout = {}): ChartBody {
  const { result, axes, groups, headings, apart } = input;
  const along = toAlong(input, layout);
  const names = axes.across.length === 0 ? undefined : toNames(input, layout);
  const parts = { result, groups, along, names, headings };
  const { panels, notes } = apart && names ? toPanelsApart(input, apart, layout, { ...parts, names }) : toPanels(parts);
  return {
    x: along.axis,
    panels,
    annotations: along.annotations,
    notes: [...along.notes, ...(names?.notes ?? []), ...notes],
  };
}

function toAlong(
  { result, roles: { measures, dimensions }, axes: { along }, annotations }: ChartInput,
  { bands, gathers = true }: PanelLayout,
): AxisPlaces {
  const measure = measures[0]?.column as Column;
  if (!along) return toSinglePlace(result.rowCount);
  const inBands = bands === 'always';
  if (along.type === 'time') {
    const times = toTimeAxis(result, along, inBands ? [] : annotations);
    const places = bands ? { ...times, ...signBreaks(times.axis, times.notes) } : times;
    return inBands ? { ...places, axis: toBands(places.axis) } : places;
  }
  if (along.type === 'number') {
    const places = toNumberAxis(result, along);
    return bands ? { ...places, axis: toBands(places.axis) } : places;
  }
  const compares = dimensions.some((column) => column.kind === 'compare');
  return toCategoryAxis(result, along, {
    measure,
    gathers: measure.additive && !compares && gathers,
    keepsOrder: along.kind === 'compare' || along.type !== 'string' || isOrderedBy(result, along),
  });
}

/** Bands are not proportional in time, so a band that stands for several missing buckets says so. */
function signBreaks(axis: ChartAxis, notes: readonly string[]): Pick<AxisPlaces, 'axis' | 'notes'> {
  let breaks = 0;
  const labels = axis.labels.map((label, place) => {
    if (!isBreak(axis, place)) return label;
    // Labels are unique. Spaces on both sides keep the sign in the middle.
    const space = ' '.repeat(breaks);
    breaks += 1;
    return `${space}${breakSign}${space}`;
  });
  if (breaks === 0) return { axis, notes };
  const note = `${breakSign} stands for a longer time without rows, which is not drawn to scale.`;
  return { axis: { ...axis, labels }, notes: [...notes, note] };
}

/** The same places in bands of equal width. */
function toBands(axis: ChartAxis): ChartAxis {
  return { ...axis, scale: 'category', positions: axis.labels.map((_, place) => place), ends: [], ticks: undefined };
}

function isOrderedBy({ provenance }: Result<object>, { member, key }: Column): boolean {
  const [first] = provenance.query.order ?? [];
  return first !== undefined && (first[0] === member || first[0] === key);
}

function toNames(
  { result, roles: { measures }, axes: { across }, aside, apart }: ChartInput,
  { gathers = true, mostSeries }: PanelLayout,
): SeriesNames {
  const measure = measures[0]?.column as Column;
  const compares = across.some((column) => column.kind === 'compare');
  const ordered = across.every((column) => column.type !== 'string');
  return toSeriesNames(result, across, {
    measure,
    order: compares ? 'given' : ordered ? 'value' : 'size',
    gathers: measure.additive && !compares && gathers,
    most: mostSeries,
    // A series has a different size in each panel.
    aside: apart ? undefined : aside,
  });
}

interface PanelParts {
  readonly result: Result<object>;
  readonly groups: readonly (readonly MeasureColumns[])[];
  readonly along: AxisPlaces;
  /** If undefined, the measures are the series. */
  readonly names: SeriesNames | undefined;
  /** Display names of columns, by key. */
  readonly headings: ReadonlyMap<string, string>;
}

interface Panels {
  readonly panels: readonly ChartPanel[];
  readonly notes: readonly string[];
}

/** The most panels in one picture. */
const mostPanels = 4;
const mostMeasures = 10;

/** Puts the values of all measures in their places, one panel per scale. */
function toPanels(parts: PanelParts): Panels {
  const { groups, names, headings } = parts;
  const notes: string[] = [];
  const titleOf = (column: Column) => toShownText(headings.get(column.key) ?? labelOf(column));
  const leave = (left: readonly MeasureColumns[]) => {
    if (left.length > 0)
      notes.push(`Not drawn for lack of space: ${left.map(({ column }) => titleOf(column)).join(', ')}.`);
  };
  leave(groups.slice(mostPanels).flat());
  const panels = groups.slice(0, mostPanels).map((group): ChartPanel => {
    leave(group.slice(mostMeasures));
    const measures = group.slice(0, mostMeasures);
    const first = measures[0]?.column as Column;
    const previousToo = !names || names.labels.length === 1;
    if (!previousToo && measures.some(({ previous }) => previous.length > 0))
      notes.push('The previous range is not drawn: there are too many series.');
    const series =
      names && !previousToo
        ? toNamedSeries(first, names, parts, notes)
        : measures.flatMap(({ column, previous }) => [
            toOneSeries(
              column,
              'plain',
              parts,
              previous.length > 0 ? rangeIn(titleOf(column)) : titleOf(column),
              notes,
            ),
            ...previous.map((each) => toOneSeries(each, 'previous', parts, rangeIn(titleOf(each)), notes)),
          ]);
    const labels = toDistinct(series.map(({ label }) => label));
    return {
      title: joinHeadings(
        measures.map(({ column, previous }) => (previous.length > 0 ? withoutRange(titleOf(column)) : titleOf(column))),
        measures.map(({ column }) => column),
      ),
      format: first.format,
      additive: first.additive,
      fromZero: isAmount(first),
      series: series.map((each, index) => ({ ...each, label: labels[index] as string })),
    };
  });
  return { panels, notes: [...new Set(notes)] };
}

/** One panel per value of a column, the largest first. */
function toPanelsApart(
  { aside }: ChartInput,
  apart: Column,
  { bands }: PanelLayout,
  parts: PanelParts & { readonly names: SeriesNames },
): Panels {
  const { result, groups, names, headings } = parts;
  const measure = groups[0]?.[0]?.column as Column;
  const { series: values, labels } = toSeriesNames(result, [apart], {
    measure: aside ?? measure,
    order: 'size',
    gathers: false,
    most: Infinity,
  });
  // Panels with a colour legend share it, so their labels cannot hold sizes, which differ per panel.
  const sizes = bands === 'always' && aside ? result.values(aside.key) : undefined;
  const notes: string[] = [];
  const panels = labels.slice(0, mostPanels).map((label, value): ChartPanel => {
    const firstRows = names.labels.map((_, one) =>
      names.series.findIndex((each, row) => each === one && values[row] === value),
    );
    const own: SeriesNames = {
      ...names,
      labels: names.labels.map((each, one) => {
        const row = firstRows[one] ?? -1;
        return aside && sizes && row >= 0 ? `${each} (${toName(sizes[row] ?? null, aside)})` : each;
      }),
      series: names.series.map((one, row) => (values[row] === value ? one : -1)),
    };
    const shown = toNamedSeries(measure, own, parts, notes);
    return {
      title: `${toShownText(headings.get(measure.key) ?? labelOf(measure))}: ${label}`,
      format: measure.format,
      additive: measure.additive,
      fromZero: isAmount(measure),
      series: shown.filter((_, one) => !sizes || (firstRows[one] ?? -1) >= 0),
    };
  });
  const left = labels.slice(mostPanels);
  if (left.length > 0) notes.push(`Not drawn for lack of space: ${listSome(left)}.`);
  return { panels, notes: [...new Set(notes)] };
}

/** A partial last bucket of users must not look like a fall to nothing, as it would at the foot of a cut scale. */
function isAmount({ additive, whenAbsent }: Column): boolean {
  return additive || whenAbsent === 0;
}

const mostNamed = 12;

function listSome(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 1 ? `${names.slice(0, mostNamed).join(', ')}, and ${more} more` : names.join(', ');
}

function toNamedSeries(
  measure: Column,
  { labels, series, other }: SeriesNames,
  { result, along, headings }: PanelParts,
  notes: string[],
): readonly ChartSeries[] {
  const grid = toGrid({
    result,
    measure,
    places: along.places,
    series,
    placeCount: along.axis.positions.length,
    seriesCount: labels.length,
  });
  tell(measure, grid, along, headings, notes);
  return labels.map((label, index) => ({
    label,
    role: index === other ? 'other' : 'plain',
    ...split(grid.cells[index] ?? []),
  }));
}

function toOneSeries(
  measure: Column,
  role: ChartSeries['role'],
  { result, along, headings }: PanelParts,
  label: string,
  notes: string[],
): ChartSeries {
  const grid = toGrid({
    result,
    measure,
    places: along.places,
    series: new Int32Array(result.rowCount),
    placeCount: along.axis.positions.length,
    seriesCount: 1,
  });
  tell(measure, grid, along, headings, notes);
  return { label, role, ...split(grid.cells[0] ?? []) };
}

function tell(
  measure: Column,
  { undrawable, crowded }: ReturnType<typeof toGrid>,
  { axis: { other } }: AxisPlaces,
  headings: ReadonlyMap<string, string>,
  notes: string[],
): void {
  const title = toShownText(headings.get(measure.key) ?? labelOf(measure));
  if (undrawable > 0)
    notes.push(`${title}: ${undrawable} of the values cannot be drawn, because they are not finite numbers.`);
  if (crowded && other !== undefined) notes.push(`Other has no ${title}: it cannot be added up.`);
  else if (crowded)
    notes.push(`${title}: places with several rows are not drawn, because this measure cannot be added up.`);
}

function split(cells: readonly Cell[]): Pick<ChartSeries, 'values' | 'flags'> {
  return { values: cells.map(({ value }) => value), flags: cells.map(({ flags }) => flags) };
}

/** Removes the range that `compare` adds to a title in brackets. */
export function withoutRange(title: string): string {
  return title.replace(/ \([^()]*\)$/, '');
}

export function rangeIn(title: string): string {
  return /\(([^()]*)\)$/.exec(title)?.[1] ?? title;
}

/** If one measure is larger than another by this factor, the smaller would be a flat line on a shared scale. */
const mostApart = 20;

/**
 * Groups measures that can share a scale: the same unit, a similar size, and all amounts or all averages. Columns that
 * `pivot` made of one measure stay together. A picture never has two scales, because crossing lines would mean nothing.
 */
export function toScaleGroups(
  result: Result<object>,
  measures: readonly MeasureColumns[],
): readonly (readonly MeasureColumns[])[] {
  const groups: MeasureColumns[][] = [];
  const sizes = new Map(measures.map(({ column }) => [column, sizeOf(result, column.key)]));
  for (const measure of measures) {
    const group = groups.find(
      (others) =>
        measure.previous.length === 0 &&
        others.every((other) => {
          if (other.previous.length > 0) return false;
          const [a, b] = [measure.column, other.column];
          if (a.member === b.member && a.key.startsWith(`${a.member}[`) && b.key.startsWith(`${b.member}[`))
            return true;
          if (
            a.format !== b.format ||
            a.whenAbsent !== b.whenAbsent ||
            (a.whenAbsent === null && a.format !== 'percent')
          )
            return false;
          const [small = 0, large = 0] = [sizes.get(a) ?? 0, sizes.get(b) ?? 0].sort((x, y) => x - y);
          return small === 0 || large / small <= mostApart;
        }),
    );
    if (group) group.push(measure);
    else groups.push([measure]);
  }
  return groups;
}

function sizeOf(result: Result<object>, key: string): number {
  let size = 0;
  for (const value of result.values(key)) size = Math.max(size, Math.abs(toDrawable(value) ?? 0));
  return size;
}
