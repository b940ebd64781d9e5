import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartWish } from '../../ask/chart/chart-wish.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toHeadings } from '../labels/headings.ts';
import { type AxisPlaces, toCategoryAxis, toNumberAxis, toSinglePlace, toTimeAxis } from './axis-places.ts';
import { type Cell, toGrid } from './chart-grid.ts';
import { type SeriesNames, toSeriesNames } from './chart-series.ts';
import { describeMarks, describeNotes, describeRange } from './chart-texts.ts';
import type { Chart, ChartAxis, ChartKind, ChartPanel, ChartSeries } from './chart.ts';
import { type ColumnRoles, type MeasureColumns, toColumnRoles, toDrawable } from './column-roles.ts';
import { type Axes, fitKind, toAxes, toShape } from './decide-kind.ts';
import { type FunnelGroups, toFunnelChart, toFunnelGroups } from './funnel-chart.ts';
import { toHistogramChart } from './histogram-chart.ts';
import { toDistinct, toShownText } from './names.ts';
import { readChartWish } from './read-chart-wish.ts';
import { toScatterChart } from './scatter-chart.ts';
import { type ChartBody, rangeIn, toStatChart, withoutRange } from './stat-chart.ts';

interface PanelParts {
  readonly result: Result<object>;
  readonly groups: readonly (readonly MeasureColumns[])[];
  readonly along: AxisPlaces;
  /** undefined: the measures themselves are the series. */
  readonly names: SeriesNames | undefined;
  /** What people call each column, by key. */
  readonly headings: ReadonlyMap<string, string>;
}

interface Panels {
  readonly panels: readonly ChartPanel[];
  readonly notes: readonly string[];
}

/** More panels than these are a page of their own. */
const mostPanels = 4;
const mostMeasures = 10;

/** The values of all measures in their places, a panel for each scale. */
function toPanels(parts: PanelParts): Panels {
  const { groups, names, headings } = parts;
  const notes: string[] = [];
  const titleOf = (column: Column) => toShownText(headings.get(column.key) ?? column.shortTitle);
  const leave = (left: readonly MeasureColumns[]) => {
    if (left.length > 0) notes.push(`Not drawn, for want of room: ${left.map(({ column }) => titleOf(column)).join(', ')}.`);
  };
  leave(groups.slice(mostPanels).flat());
  const panels = groups.slice(0, mostPanels).map((group): ChartPanel => {
    leave(group.slice(mostMeasures));
    const measures = group.slice(0, mostMeasures);
    const first = measures[0]?.column as Column;
    const previousToo = !names || names.labels.length === 1;
    if (!previousToo && measures.some(({ previous }) => previous.length > 0)) notes.push('The range before is not drawn: there are too many series.');
    const series = names && !previousToo ? toNamedSeries(first, names, parts, notes) : measures.flatMap(({ column, previous }) => [
      toOneSeries(column, 'plain', parts, previous.length > 0 ? rangeIn(titleOf(column)) : titleOf(column), notes), ...previous.map((each) => toOneSeries(each, 'previous', parts, rangeIn(titleOf(each)), notes)),
    ]);
    const labels = toDistinct(series.map(({ label }) => label));
    return {
      title: measures.map(({ column, previous }) => (previous.length > 0 ? withoutRange(titleOf(column)) : titleOf(column))).join(', '),
      format: first.format,
      additive: first.additive,
      series: series.map((each, index) => ({ ...each, label: labels[index] as string })),
    };
  });
  return { panels, notes: [...new Set(notes)] };
}

function toNamedSeries(measure: Column, { labels, series, other }: SeriesNames, { result, along, headings }: PanelParts, notes: string[]): readonly ChartSeries[] {
  const grid = toGrid({ result, measure, places: along.places, series, placeCount: along.axis.positions.length, seriesCount: labels.length });
  tell(measure, grid, along, headings, notes);
  return labels.map((label, index) => ({ label, role: index === other ? 'other' : 'plain', ...apart(grid.cells[index] ?? []) }));
}

function toOneSeries(measure: Column, role: ChartSeries['role'], { result, along, headings }: PanelParts, label: string, notes: string[]): ChartSeries {
  const grid = toGrid({ result, measure, places: along.places, series: new Int32Array(result.rowCount), placeCount: along.axis.positions.length, seriesCount: 1 });
  tell(measure, grid, along, headings, notes);
  return { label, role, ...apart(grid.cells[0] ?? []) };
}

function tell(measure: Column, { undrawable, crowded }: ReturnType<typeof toGrid>, { axis: { other } }: AxisPlaces, headings: ReadonlyMap<string, string>, notes: string[]): void {
  const title = toShownText(headings.get(measure.key) ?? measure.shortTitle);
  if (undrawable > 0) notes.push(`${title}: ${undrawable} of the values cannot be drawn, because they are no finite numbers.`);
  if (crowded && other !== undefined) notes.push(`Other has no ${title}: it cannot be added up.`);
  else if (crowded) notes.push(`${title}: where several rows meet nothing is drawn, because it cannot be added up.`);
}

function apart(cells: readonly Cell[]): Pick<ChartSeries, 'values' | 'flags'> {
  return { values: cells.map(({ value }) => value), flags: cells.map(({ flags }) => flags) };
}

/** Where one measure is so many times another, the smaller would be a flat line on their common scale. */
const mostApart = 20;

/**
 * Measures that can be read off one scale: the same unit, of a size, and all amounts or all averages. What `pivot` made of
 * one measure always belongs together. Never two scales in one picture: where their lines cross would say nothing.
 */
function toScaleGroups(result: Result<object>, measures: readonly MeasureColumns[]): readonly (readonly MeasureColumns[])[] {
  const groups: MeasureColumns[][] = [];
  const sizes = new Map(measures.map(({ column }) => [column, sizeOf(result, column.key)]));
  for (const measure of measures) {
    const group = groups.find((others) => measure.previous.length === 0 && others.every((other) => {
      if (other.previous.length > 0) return false;
      const [a, b] = [measure.column, other.column];
      if (a.member === b.member && a.key.startsWith(`${a.member}[`) && b.key.startsWith(`${b.member}[`)) return true;
      if (a.format !== b.format || a.whenAbsent !== b.whenAbsent || a.whenAbsent === null && a.format !== 'percent') return false;
      const [small = 0, large = 0] = [sizes.get(a) ?? 0, sizes.get(b) ?? 0].sort((x, y) => x - y);
      return small === 0 || large / small <= mostApart;
    }));
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

export interface ToChartOptions {
  /** Overrules what is decided. */
  readonly wish?: ChartWish | undefined;
  readonly title?: string | undefined;
  /** Dated marks, drawn over time. */
  readonly annotations?: readonly Annotation[] | undefined;
}

/**
 * What is drawn of a result, decided from its columns and values. Throws `InvalidInputError`: `nothing-to-draw` where no
 * column holds numbers to draw, `unfit-chart` for a wish that does not fit.
 */
export function toChart(given: Result<object>, { wish, title, annotations = [] }: ToChartOptions = {}): Chart {
  const { kind, fragment } = readChartWish(wish);
  const { roles, result, groups } = toDrawn(given);
  if (roles.measures.length === 0) throw nothingToDraw();
  const names = toHeadings(result.columns);
  const headings = new Map(result.columns.map((column, index) => [column.key, groups && column === roles.measures[0]?.column ? groups.measured : names[index] ?? column.key]));
  const body = toBody(result, roles, kind, annotations, headings);
  const titles = groups ? describeGroups(groups, headings) : describe(body, roles, headings);
  const undrawable = roles.undrawable.map((column) => toShownText(headings.get(column.key) ?? column.key));
  return {
    ...body,
    title: title === undefined || title.trim() === '' ? titles : toShownText(title.trim()),
    // Several figures stand below their names, and a funnel's name is not what it measures.
    subtitle: toSubtitle(result, body, title === undefined || body.kind === 'funnel' || (body.kind === 'stat' && body.panels.length > 1) ? undefined : titles),
    notes: [
      ...body.notes,
      ...(undrawable.length > 0 ? [`Not drawn, because they are no numbers: ${undrawable.join(', ')}.`] : []),
      ...describeMarks(allFlags(body), body.kind),
      ...describeNotes(result.provenance),
    ],
    fragment,
  };
}

/** Whether there is something to draw. */
export function canDraw(result: Pick<Result<object>, 'columns' | 'values' | 'rowCount'>): boolean {
  return toColumnRoles(result).measures.length > 0;
}

interface Drawn {
  readonly result: Result<object>;
  readonly roles: ColumnRoles;
  readonly groups?: FunnelGroups | undefined;
}

function toDrawn(result: Result<object>): Drawn {
  const roles = toColumnRoles(result);
  const { funnel, time, dimensions } = roles;
  if (!funnel || (!time && dimensions.length === 0)) return { result, roles };
  const groups = toFunnelGroups(result, roles, funnel);
  return { result: groups.result, roles: groups.roles, groups };
}

function toBody(result: Result<object>, roles: ColumnRoles, wished: ChartKind | undefined, annotations: readonly Annotation[], headings: ReadonlyMap<string, string>): ChartBody {
  const axes = toAxes(result, roles);
  const groups = axes.across.length === 0 ? toScaleGroups(result, roles.measures) : roles.measures.map((measure) => [measure]);
  const shape = toShape(result, roles, axes, groups);
  const kind = fitKind(wished, shape);
  if (kind === 'funnel') return toFunnelChart(result, roles);
  if (kind === 'stat') return toStatChart(result, roles, headings);
  if (kind === 'histogram') return toHistogramChart(result, roles, headings);
  if (kind === 'scatter') return toScatterChart(result, roles, headings);
  const turned = kind === 'heatmap' ? turnNames(result, axes) : axes;
  const along = toAlong(result, roles, turned, kind, annotations);
  const names = turned.across.length === 0 ? undefined : toNames(result, roles, turned, kind);
  const { panels, notes } = toPanels({ result, groups, along, names, headings });
  return { kind, x: along.axis, panels, annotations: along.annotations, notes: [...along.notes, ...(names?.notes ?? []), ...notes] };
}

/** In a table there is more room for names at the side than at the foot. */
function turnNames(result: Result<object>, axes: Axes): Axes {
  const [only, another] = axes.across;
  const count = (column: Column) => result.codes(column.key).dictionary.length;
  const isTurned = axes.along?.type === 'string' && only && !another && only.type === 'string' && count(only) < count(axes.along);
  return isTurned && axes.along ? { along: only, across: [axes.along] } : axes;
}

function toAlong(result: Result<object>, { measures, dimensions }: ColumnRoles, { along }: Axes, kind: ChartKind, annotations: readonly Annotation[]): AxisPlaces {
  const measure = measures[0]?.column as Column;
  if (!along) return toSinglePlace(result.rowCount);
  const inBands = kind === 'grouped' || kind === 'heatmap';
  if (along.type === 'time') {
    const places = toTimeAxis(result, along, inBands ? [] : annotations);
    return inBands ? { ...places, axis: toBands(places.axis) } : places;
  }
  if (along.type === 'number' && kind !== 'bar') {
    const places = toNumberAxis(result, along);
    return inBands || kind === 'column' || kind === 'stacked' ? { ...places, axis: toBands(places.axis) } : places;
  }
  const compares = dimensions.some((column) => column.kind === 'compare');
  return toCategoryAxis(result, along, {
    measure, gathers: measure.additive && !compares && kind !== 'heatmap', keepsOrder: along.kind === 'compare' || along.type !== 'string' || isOrderedBy(result, along),
  });
}

/** The same places, each as wide as any other. */
function toBands(axis: ChartAxis): ChartAxis {
  return { ...axis, scale: 'category', positions: axis.labels.map((_, place) => place), ends: [], ticks: undefined };
}

function isOrderedBy({ provenance }: Result<object>, { member, key }: Column): boolean {
  const [first] = provenance.query.order ?? [];
  return first !== undefined && (first[0] === member || first[0] === key);
}

function toNames(result: Result<object>, { measures }: ColumnRoles, { across }: Axes, kind: ChartKind): ReturnType<typeof toSeriesNames> {
  const measure = measures[0]?.column as Column;
  const compares = across.some((column) => column.kind === 'compare');
  const ordered = across.every((column) => column.type !== 'string');
  return toSeriesNames(result, across, {
    measure, order: compares ? 'given' : ordered ? 'value' : 'size', gathers: measure.additive && !compares && kind !== 'heatmap', most: kind === 'heatmap' ? 40 : undefined,
  });
}

function allFlags({ x, panels }: ChartBody): number {
  return [x.flags, ...panels.flatMap(({ series }) => series.map(({ flags }) => flags))].flat().reduce((all, flags) => all | flags, 0);
}

function describe({ kind, panels }: ChartBody, { time, dimensions, measures, funnel }: ColumnRoles, headings: ReadonlyMap<string, string>): string {
  const what = panels.map((panel: ChartPanel) => panel.title).join(', ');
  if (kind === 'funnel' && funnel) return toShownText(funnel.step.member.slice(0, funnel.step.member.lastIndexOf('.')));
  const by = [...(time ? [time.granularity ?? headings.get(time.key) ?? time.key] : []), ...dimensions.filter((column) => column.kind !== 'compare').map((column) => headings.get(column.key) ?? column.key)];
  if (kind === 'histogram') return toShownText(`Distribution of ${headings.get(measures[0]?.column.key ?? '') ?? what} by ${by.join(', ')}`);
  return toShownText(by.length === 0 || kind === 'stat' && !time ? what : `${what} by ${by.join(', ')}`);
}

/** What is drawn of a funnel, and of whom: those who began in each bucket, or with each value. */
function describeGroups({ name, measured, roles: { time, dimensions, steps } }: FunnelGroups, headings: ReadonlyMap<string, string>): string {
  const by = [...(time ? [time.granularity ? `${time.granularity} of entry` : headings.get(time.key) ?? time.key] : []), ...dimensions.filter((column) => column !== steps).map((column) => headings.get(column.key) ?? column.key)];
  return toShownText(`${name}: ${measured.charAt(0).toLowerCase()}${measured.slice(1)} by ${by.join(', ')}`);
}

function toSubtitle({ provenance }: Result<object>, { x }: ChartBody, what: string | undefined): string {
  const range = describeRange(provenance);
  const zone = x.scale === 'time' || range !== undefined ? toShownText(provenance.zone) : undefined;
  return [what, range, zone].filter((part) => part !== undefined && part !== '').join(' · ');
}

function nothingToDraw(): InvalidInputError {
  const message = 'There is nothing to draw in this answer: no measure in it holds numbers.';
  const hint = 'Ask for a measure, or take another format: -f table.';
  return new InvalidInputError(message, [errorIssue('nothing-to-draw', message, { hint })], { hint });
}
