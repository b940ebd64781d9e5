import { formatNumber } from '../../../shape/format/format-number.ts';
import { noValue } from '../../../shape/format/format.ts';
import type { Chart, ChartPanel } from '../chart.ts';
import type { DrawOptions } from '../draw-options.ts';
import type { VegaLiteSpec } from '../vega-lite-spec.ts';
import { leftEdge } from './vega-lite-axis.ts';

/** One number has the room for large figures. */
const sizes = { one: { step: 44, figure: 46 }, several: { step: 30, figure: 26 } } as const;

/** Numbers below one another, each with its name and how it changed. */
export function drawStats({ panels, title }: Pick<Chart, 'panels' | 'title'>, { width, theme }: DrawOptions): VegaLiteSpec {
  const { step, figure } = panels.length === 1 ? sizes.one : sizes.several;
  const figures = panels.map((panel, index) => ({ place: 2 * index, text: toFigure(panel, 0) }));
  const labels = panels.map((panel, index) => ({ place: 2 * index + 1, text: toLabel(panel, panel.title === title) })).filter(({ text }) => text !== '');
  const places = [...figures, ...labels].map(({ place }) => place).sort((a, b) => a - b);
  const texts = (values: readonly VegaLiteSpec[], fontSize: number, color: string, more: VegaLiteSpec): VegaLiteSpec => ({
    data: { values },
    mark: { type: 'text', align: 'left', baseline: 'middle', fontSize, ...more }, encoding: { x: leftEdge, text: { field: 'text', type: 'nominal' }, color: { value: color } },
  });
  return {
    width, height: { step },
    encoding: { y: { field: 'place', type: 'ordinal', axis: null, scale: { type: 'point', domain: places, padding: 0.5 } } },
    layer: [
      texts(figures, figure, theme.text, { fontWeight: 600 }),
      ...(labels.length > 0 ? [texts(labels, 13, theme.quiet, {})] : []),
    ],
  };
}

function toFigure({ series, format }: ChartPanel, index: number): string {
  const value = series[index]?.values[0] ?? null;
  return value === null ? noValue : formatNumber(value, format);
}

function toLabel(panel: ChartPanel, isNamed: boolean): string {
  const change = describeChange(panel);
  const title = isNamed ? [] : [panel.title];
  return [...title, ...(change === undefined ? [] : [change])].join(': ');
}

/** `+12.3% from 1,234 (2024-02)`; a share changes by points, for a percentage of percents is easily misread. */
export function describeChange({ series, format }: Pick<ChartPanel, 'series' | 'format'>): string | undefined {
  const [current, earlier] = series;
  if (!current || !earlier) return undefined;
  const now = current.values[0] ?? null;
  const before = earlier.values[0] ?? null;
  const from = `${before === null ? noValue : formatNumber(before, format)} (${earlier.label})`;
  if (now === null || before === null) return `before: ${from}`;
  if (now === before) return `the same as ${from}`;
  const difference = now - before;
  const sign = difference > 0 ? '+' : '−';
  if (format === 'percent') return `${sign}${formatNumber(Math.abs(difference))} points from ${from}`;
  if (before === 0) return `${sign}${formatNumber(Math.abs(difference), format)} from ${from}`;
  return `${sign}${formatNumber(Math.round(Math.abs((1000 * difference) / before)) / 10)}% from ${from}`;
}
