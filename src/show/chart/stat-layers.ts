import { noValue } from '../../shape/format.ts';
import { formatNumber } from '../../shape/format-number.ts';
import type { Chart, ChartPanel } from './chart.ts';
import type { DrawOptions } from './draw-options.ts';
import { leftEdge } from './vega-lite-axis.ts';
import type { VegaLiteSpec } from './vega-lite-spec.ts';

/** One number has the room for large figures. */
const sizes = { one: { step: 84, figure: 46, up: -14, down: 26 }, several: { step: 58, figure: 26, up: -10, down: 14 } } as const;

/** Numbers below one another, each with its name and how it changed. */
export function drawStats({ panels, title }: Pick<Chart, 'panels' | 'title'>, { width, theme }: DrawOptions): VegaLiteSpec {
  const { step, figure, up, down } = panels.length === 1 ? sizes.one : sizes.several;
  const rows = panels.map((panel, index) => ({ place: index + 1, figure: toFigure(panel, 0), label: toLabel(panel, panel.title === title) }));
  const text = (field: string, fontSize: number, color: string, more: VegaLiteSpec): VegaLiteSpec => ({
    mark: { type: 'text', align: 'left', baseline: 'middle', fontSize, ...more }, encoding: { x: leftEdge, text: { field, type: 'nominal' }, color: { value: color } },
  });
  return {
    width, height: { step },
    data: { values: rows },
    encoding: { y: { field: 'place', type: 'ordinal', axis: null, scale: { type: 'band', paddingInner: 0, paddingOuter: 0 } } },
    layer: [
      text('figure', figure, theme.text, { fontWeight: 600, dy: up }),
      text('label', 13, theme.quiet, { dy: down }),
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
