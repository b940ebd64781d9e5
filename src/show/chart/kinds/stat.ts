import { type Column, labelOf } from '../../../plan/column.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { noValue } from '../../../shape/format/format.ts';
import type { Result } from '../../../shape/result/result.ts';
import { isPartial } from '../../labels/mark-legend.ts';
import { toSinglePlace, toTimeAxis } from '../axis-places.ts';
import { type ChartInput, rangeIn, withoutRange } from '../build-panels.ts';
import type { Chart, ChartBody, ChartPanel, ChartSeries, DrawOptions, VegaLiteSpec } from '../chart.ts';
import { toDrawable } from '../column-roles.ts';
import { leftEdge } from '../layers/vega-lite-axis.ts';
import { formatDrawn, toName, toShownText } from '../names.ts';
import { type ChartType, figureSigns, toTitle } from './chart-type.ts';

/** The most figures; more belong in a table. */
const mostStats = 8;
/** A single number has room for large figures. */
const sizes = { one: { step: 44, figure: 46 }, several: { step: 30, figure: 26 } } as const;

export const stat: ChartType = {
  name: 'Figures',
  signs: figureSigns,
  fits: ({ dimensions, time }) => dimensions === 0 || (time && dimensions === 1),
  needs: 'a single row, or a time dimension',
  build,
  title: ({ input, measured, by }) => (input.roles.time ? toTitle({ measured, by }) : measured),
  // Several figures are listed below their names.
  keepsTitle: ({ panels }) => panels.length === 1,
  showsNoValues: true,
  draw: (chart, options) => [draw(chart, options)],
  describe: ({ panels }) => panels.map(describe),
};

/**
 * One number per measure, with an earlier number if there is one: of the previous range or, over time, of the bucket
 * before the last whole one.
 */
function build({ result, roles: { measures, time, dimensions }, headings }: ChartInput): ChartBody {
  const compared = dimensions.find(({ kind }) => kind === 'compare');
  const rows = time ? latestRows(result, time) : { current: 0, previous: compared && result.rowCount > 1 ? 1 : -1 };
  const at = (key: string, row: number) => (row < 0 ? null : toDrawable(result.values(key)[row] ?? null));
  const nameOf = (row: number) => {
    const column = time ?? compared;
    return column && row >= 0 ? toName(result.values(column.key)[row] ?? null, column) : undefined;
  };
  const timeBefore = time && result.columns.find(({ key }) => key === `${time.key}.previous`);
  const nameBefore = (before: Column) =>
    timeBefore && rows.current >= 0
      ? toName(result.values(timeBefore.key)[rows.current] ?? null, timeBefore)
      : rangeIn(toShownText(labelOf(before)));
  const panels = measures.slice(0, mostStats).map(({ column, previous: [before] }): ChartPanel => {
    const heading = toShownText(headings.get(column.key) ?? labelOf(column));
    const title = before ? withoutRange(heading) : heading;
    const series = (
      role: ChartSeries['role'],
      label: string,
      value: number | null,
      key: string,
      row: number,
    ): ChartSeries => ({ label, role, values: [value], flags: [row < 0 ? 0 : result.marks.of(key, row)] });
    const current = series(
      'plain',
      nameOf(rows.current) ?? title,
      at(column.key, rows.current),
      column.key,
      rows.current,
    );
    const earlier = before
      ? series('previous', nameBefore(before), at(before.key, rows.current), before.key, rows.current)
      : rows.previous >= 0
        ? series('previous', nameOf(rows.previous) ?? '', at(column.key, rows.previous), column.key, rows.previous)
        : undefined;
    const change = result.columns.find(({ key }) => key === `${column.key}.change`);
    return {
      title,
      format: column.format,
      additive: column.additive,
      ...(change && rows.current >= 0 && result.values(change.key)[rows.current] === null && { incomparable: true }),
      series: earlier ? [current, earlier] : [current],
    };
  });
  const left = measures.slice(mostStats).map(({ column }) => toShownText(headings.get(column.key) ?? labelOf(column)));
  const notes = left.length === 0 ? [] : [`Not drawn for lack of space: ${left.join(', ')}.`];
  const [first] = measures;
  const compares = first !== undefined && first.previous.length > 0;
  const period = nameOf(rows.current) ?? (compares ? rangeIn(toShownText(labelOf(first.column))) : undefined);
  return { x: toSinglePlace(result.rowCount).axis, panels, annotations: [], notes, period };
}

function latestRows(
  result: Result<object>,
  time: Parameters<typeof toTimeAxis>[1],
): { readonly current: number; readonly previous: number } {
  const { axis, places } = toTimeAxis(result, time, []);
  const whole = axis.flags.findLastIndex((flags) => !isPartial(flags));
  const last = whole < 0 ? axis.positions.length - 1 : whole;
  return { current: places.indexOf(last), previous: last > 0 ? places.indexOf(last - 1) : -1 };
}

/** Stacks the numbers, each with its name and its change. */
function draw({ panels, title }: Chart, { width, theme }: DrawOptions): VegaLiteSpec {
  const { step, figure } = panels.length === 1 ? sizes.one : sizes.several;
  const figures = panels.map((panel, index) => ({ place: 2 * index, text: toFigure(panel) }));
  const labels = panels
    .map((panel, index) => ({ place: 2 * index + 1, text: toLabel(panel, panel.title === title) }))
    .filter(({ text }) => text !== '');
  const places = [...figures, ...labels].map(({ place }) => place).sort((a, b) => a - b);
  const texts = (
    values: readonly VegaLiteSpec[],
    fontSize: number,
    color: string,
    more: VegaLiteSpec,
  ): VegaLiteSpec => ({
    data: { values },
    mark: { type: 'text', align: 'left', baseline: 'middle', fontSize, ...more },
    encoding: { x: leftEdge, text: { field: 'text', type: 'nominal' }, color: { value: color } },
  });
  return {
    width,
    height: { step },
    encoding: {
      y: { field: 'place', type: 'ordinal', axis: null, scale: { type: 'point', domain: places, padding: 0.5 } },
    },
    layer: [
      texts(figures, figure, theme.text, { fontWeight: 600 }),
      ...(labels.length > 0 ? [texts(labels, 13, theme.quiet, {})] : []),
    ],
  };
}

function toFigure({ series, format }: ChartPanel): string {
  const value = series[0]?.values[0] ?? null;
  return value === null ? noValue : formatDrawn(value, format);
}

function toLabel(panel: ChartPanel, isNamed: boolean): string {
  const change = describeChange(panel);
  const title = isNamed ? [] : [panel.title];
  return [...title, ...(change === undefined ? [] : [change])].join(': ');
}

/** `+12.3% from 1,234 (2024-02)`. A share changes by points, because a percentage of percents is easily misread. */
function describeChange({ series, format, incomparable }: ChartPanel): string | undefined {
  const [current, earlier] = series;
  if (!current || !earlier) return undefined;
  const now = current.values[0] ?? null;
  const before = earlier.values[0] ?? null;
  const from = `${before === null ? noValue : formatDrawn(before, format)} (${earlier.label})`;
  if (now === null || before === null || incomparable) return `before: ${from}`;
  if (now === before) return `the same as ${from}`;
  const difference = now - before;
  const sign = difference > 0 ? '+' : '−';
  if (format === 'percent') return `${sign}${formatNumber(Math.abs(difference))} points from ${from}`;
  if (before === 0) return `${sign}${formatDrawn(Math.abs(difference), format)} from ${from}`;
  return `${sign}${formatNumber(Math.round(Math.abs((1000 * difference) / before)) / 10)}% from ${from}`;
}

function describe(panel: ChartPanel): string {
  const value = panel.series[0]?.values[0] ?? null;
  const change = describeChange(panel);
  return `${panel.title}: ${value === null ? 'no value' : formatDrawn(value, panel.format)}${change === undefined ? '' : `, ${change}`}.`;
}
