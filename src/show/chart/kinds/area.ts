import { buildPanels } from '../build-panels.ts';
import { describeSeriesOf } from '../describe-series.ts';
import { drawLines } from '../layers/line-layers.ts';
import { type ChartType, lineSigns } from './chart-type.ts';

export const area: ChartType = {
  name: 'Area chart',
  signs: lineSigns,
  fits: ({ time, numbers, series, parts, shared }) => (time || numbers) && !shared && (series === 1 || parts),
  needs: 'a time or numeric dimension and one scale; to stack several series, they must add up and never be below 0',
  build: buildPanels,
  draw: (chart, options) => chart.panels.map((panel) => drawLines(chart, panel, { ...options, filled: true })),
  describe: describeSeriesOf,
};
