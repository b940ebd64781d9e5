import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartWish } from '../../ask/chart/chart-wish.ts';
import { invariant } from '../../ask/invariant.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { plural } from '../../ask/text.ts';
import type { Column } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result/result.ts';
import { toHeadings } from '../labels/headings.ts';
import { type AxisPlaces, toCategoryAxis, toNumberAxis, toSinglePlace, toTimeAxis } from './axis-places.ts';
import { toPanels, toScaleGroups } from './chart-panels.ts';
import { toSeriesNames } from './chart-series.ts';
import { describeMarks, describeNotes, describeRange } from './chart-texts.ts';
import type { Chart, ChartAxis, ChartKind, ChartPanel } from './chart.ts';
import { type ColumnRoles, toColumnRoles, toDrawable } from './column-roles.ts';
import { type Axes, fitKind, toAxes, toShape } from './decide-kind.ts';
import { type FunnelGroups, toFunnelChart, toFunnelGroups } from './funnel-chart.ts';
import { toHistogramChart } from './histogram-chart.ts';
import { toName, toShownText } from './names.ts';
import { readChartWish } from './read-chart-wish.ts';
import { type ChartBody, toStatChart } from './stat-chart.ts';

/** More points than these are a cloud, and take long to draw. */
const mostPoints = 5000;

/** A point for each row: the first measure to the right, the second upwards. */
function toScatterChart(result: Result<object>, { measures, dimensions, time }: ColumnRoles, headings: ReadonlyMap<string, string>): ChartBody {
  const [first, second] = measures;
  invariant(first && second, 'a scatter chart has two measures');
  const apart = time ? [time, ...dimensions] : dimensions;
  const across = result.values(first.column.key);
  const upwards = result.values(second.column.key);
  const points: { readonly x: number; readonly y: number; readonly label: string; readonly flags: number }[] = [];
  let lost = 0;
  let left = 0;
  for (let row = 0; row < result.rowCount; row += 1) {
    const x = toDrawable(across[row] ?? null);
    const y = toDrawable(upwards[row] ?? null);
    if (x === null || y === null) lost += 1;
    else if (points.length >= mostPoints) left += 1;
    else points.push({ x, y, flags: result.marks.of(second.column.key, row), label: apart.map((column) => toName(result.values(column.key)[row] ?? null, column)).join(' · ') });
  }
  const titleOf = (key: string) => toShownText(headings.get(key) ?? key);
  const notes = [
    ...(lost > 0 ? [`${formatNumber(lost)} ${plural(lost, 'row has', 'rows have')} no value to draw.`] : []),
    ...(left > 0 ? [`The first ${formatNumber(points.length)} of ${formatNumber(points.length + left)} points are drawn.`] : []),
    ...(measures.length > 2 ? [`Not drawn, for want of room: ${measures.slice(2).map(({ column }) => titleOf(column.key)).join(', ')}.`] : []),
  ];
  return {
    kind: 'scatter',
    x: { title: titleOf(first.column.key), scale: 'number', ordered: true, format: first.column.format, labels: points.map(({ label }) => label), positions: points.map(({ x }) => x), ends: [], flags: points.map(() => 0) },
    panels: [{
      title: titleOf(second.column.key), format: second.column.format, additive: second.column.additive,
      series: [{ label: titleOf(second.column.key), role: 'plain', values: points.map(({ y }) => y), flags: points.map(({ flags }) => flags) }],
    }],
    annotations: [], notes,
  };
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
