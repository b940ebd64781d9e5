import type { Annotation } from '../ask/chart/annotation.ts';
import type { ChartKind, ChartPreference } from '../ask/chart/chart-preference.ts';
import { type InvalidInputError, inputError } from '../ask/sluice-error.ts';
import { bucketTitle, type Column, inSentence, labelOf } from '../plan/column.ts';
import type { Result } from '../shape/result/result.ts';
import { type ChartInput, toScaleGroups } from './chart/build-panels.ts';
import { describeMarks, describeNotes, describeRange } from './chart/chart-texts.ts';
import type { Chart, ChartBody } from './chart/chart.ts';
import { type ColumnRoles, toColumnRoles } from './chart/column-roles.ts';
import { type FunnelGroups, toFunnelGroups } from './chart/funnel-groups.ts';
import { chartTypes, fitKind } from './chart/kinds/chart-kinds.ts';
import { type ChartType, toTitle } from './chart/kinds/chart-type.ts';
import { readChartPreference } from './chart/kinds/read-chart-preference.ts';
import { toShownText } from './chart/names.ts';
import { toAxes, toShape } from './chart/result-shape.ts';
import { joinHeadings, toHeadings } from './labels/headings.ts';

/** How to draw a result as a chart. */
export interface ToChartOptions {
  /** Overrides the choice of the chart. */
  readonly preference?: ChartPreference | undefined;
  /** The title above the chart. By default it names the measures and dimensions. */
  readonly title?: string | undefined;
  /** Dated marks, drawn on charts over time. */
  readonly annotations?: readonly Annotation[] | undefined;
}

/**
 * Chooses a chart for a result from its columns and values. Throws `InvalidInputError`: `nothing-to-draw` if no column
 * is numeric, `unfit-chart` if the preference does not fit.
 */
export function toChart(given: Result<object>, { preference, title, annotations = [] }: ToChartOptions = {}): Chart {
  const { kind: preferred, fragment } = readChartPreference(preference);
  const { roles, result, groups, aside, apart } = toDrawn(given, preferred);
  if (roles.measures.length === 0) throw nothingToDraw();
  const names = toHeadings(result.columns);
  const headings = new Map(
    result.columns.map((column, index) => [
      column.key,
      groups && column === roles.measures[0]?.column ? groups.measured : (names[index] ?? column.key),
    ]),
  );
  const input = { ...toInput(result, roles, headings, annotations), aside, apart };
  const kind = fitKind(preferred, toShape(result, roles, input.axes, input.groups));
  const type = chartTypes[kind];
  const body = type.build(input);
  const titles = groups ? describeGroups(groups, headings) : describe(type, body, input);
  const undrawable = roles.undrawable.map((column) => toShownText(headings.get(column.key) ?? column.key));
  return {
    kind,
    ...body,
    title: title === undefined || title.trim() === '' ? titles : toShownText(title.trim()),
    subtitle: toSubtitle(result, body, title === undefined || type.keepsTitle?.(body) === false ? undefined : titles),
    notes: [
      ...body.notes,
      ...(aside && kind !== 'stat' && !(apart && kind === 'line') ? [`In brackets: ${inSentence(aside)}.`] : []),
      ...(undrawable.length > 0 ? [`Not drawn, because they are not numbers: ${undrawable.join(', ')}.`] : []),
      ...describeMarks(allFlags(body), type.signs, result.provenance),
      ...describeNotes(result.provenance),
    ],
    fragment,
  };
}

interface Drawn {
  /** Its value follows the name of each series. */
  readonly aside?: Column | undefined;
  /** Each of its values gets a panel. */
  readonly apart?: Column | undefined;
  readonly result: Result<object>;
  readonly roles: ColumnRoles;
  readonly groups?: FunnelGroups | undefined;
}

function toDrawn(result: Result<object>, preferred: ChartKind | undefined): Drawn {
  const roles = toColumnRoles(result);
  const cohorts = toCohortRates(roles);
  const hasPanels = preferred === undefined || preferred === 'heatmap' || preferred === 'line';
  if (cohorts && (hasPanels || !cohorts.apart))
    return { result, roles: cohorts.roles, aside: cohorts.size, apart: cohorts.apart };
  const { funnel, time, dimensions } = roles;
  if (!funnel || (!time && dimensions.length === 0)) return { result, roles };
  const groups = toFunnelGroups(result, roles, funnel);
  return { result: groups.result, roles: groups.roles, groups };
}

function toInput(
  result: Result<object>,
  roles: ColumnRoles,
  headings: ReadonlyMap<string, string>,
  annotations: readonly Annotation[],
): ChartInput {
  const axes = toAxes(result, roles);
  const groups =
    axes.across.length === 0 ? toScaleGroups(result, roles.measures) : roles.measures.map((measure) => [measure]);
  return { result, roles, axes, groups, headings, annotations };
}

function allFlags({ x, panels }: ChartBody): number {
  return [x.flags, ...panels.flatMap(({ series }) => series.map(({ flags }) => flags))]
    .flat()
    .reduce((all, flags) => all | flags, 0);
}

function describe(type: ChartType, { panels }: ChartBody, input: ChartInput): string {
  const { headings, roles, apart } = input;
  const { time, dimensions } = roles;
  const parts = {
    input,
    measured: joinHeadings(
      apart ? [headings.get(roles.measures[0]!.column.key) ?? ''] : panels.map(({ title }) => title),
      input.result.columns,
    ),
    by: [
      ...(time ? [bucketTitle(time) ?? nameIn(headings, time)] : []),
      ...[...dimensions, ...(apart ? [apart] : [])]
        .filter((column) => column.kind !== 'compare')
        .map((column) => nameIn(headings, column)),
    ],
  };
  return toShownText((type.title ?? toTitle)(parts));
}

/** Names the measured quantity of a funnel and its groups: users who began in each bucket, or with each value. */
function describeGroups(
  { name, measured, roles: { time, dimensions, steps } }: FunnelGroups,
  headings: ReadonlyMap<string, string>,
): string {
  const by = [
    ...(time ? [time.granularity ? `${bucketTitle(time)} of entry` : nameIn(headings, time)] : []),
    ...dimensions.filter((column) => column !== steps).map((column) => nameIn(headings, column)),
  ];
  return toShownText(`${name}: ${measured.charAt(0).toLowerCase()}${measured.slice(1)} by ${by.join(', ')}`);
}

/** The name of a column within a sentence. */
function nameIn(headings: ReadonlyMap<string, string>, column: Column): string {
  const heading = headings.get(column.key) ?? column.key;
  return heading === labelOf(column) ? inSentence(column) : heading;
}

function toSubtitle({ provenance }: Result<object>, { x, period }: ChartBody, what: string | undefined): string {
  const range = period ?? describeRange(provenance);
  const zone = x.scale === 'time' || range !== undefined ? toShownText(provenance.zone) : undefined;
  return [what, range, zone].filter((part) => part !== undefined && part !== '').join(' · ');
}

function nothingToDraw(): InvalidInputError {
  const message = 'This result has nothing to draw: no measure contains numbers.';
  const hint = 'Add a measure, or use another format: `-f table`.';
  return inputError('nothing-to-draw', message, hint);
}

/** The drawn part of a retention: one figure per cohort or value, and period. */
interface CohortRates {
  readonly roles: ColumnRoles;
  /** Number of users in each cohort or value: the same in all its periods. */
  readonly size: Column | undefined;
  /** The breakdown, if there are cohorts too: one panel per value. */
  readonly apart: Column | undefined;
}

/**
 * Keeps the rates or values of a retention, without the sizes and users that they are computed from; undefined for any
 * other answer. Sizes are shown beside cohorts or values if these are the series.
 */
function toCohortRates(roles: ColumnRoles): CohortRates | undefined {
  const rate =
    roles.measures.find(({ column }) => isOf(column, 'value')) ??
    roles.measures.find(({ column }) => isOf(column, 'rate'));
  const size = roles.measures.find(({ column }) => isOf(column, 'size'))?.column;
  const period = roles.dimensions.find((column) => isOf(column, 'period') && column.type === 'number');
  if (!rate || !period || (roles.time && !isOf(roles.time, 'cohort'))) return undefined;
  const cube = cubeOf(rate.column);
  if ([period, size, roles.time].some((column) => column && cubeOf(column) !== cube)) return undefined;
  if (roles.measures.some(({ column, previous }) => previous.length > 0 || !parts.some((part) => isOf(column, part))))
    return undefined;
  const others = roles.dimensions.filter((column) => column !== period);
  const [value, another] = others;
  const apart = roles.time && value && !another && isOf(value, 'breakdown') ? value : undefined;
  const dimensions = apart ? [period] : roles.dimensions;
  const isSized = (roles.time ? 1 : 0) + others.length === 1 || apart !== undefined;
  return { roles: { ...roles, dimensions, measures: [rate] }, size: isSized ? size : undefined, apart };
}

const parts = ['value', 'rate', 'size', 'users'] as const;

function isOf({ member }: Column, short: string): boolean {
  return member.endsWith(`.${short}`);
}

function cubeOf({ member }: Column): string {
  return member.slice(0, member.indexOf('.'));
}
