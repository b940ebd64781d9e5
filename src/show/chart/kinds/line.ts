import { buildPanels } from '../build-panels.ts';
import { describeSeriesOf } from '../describe-series.ts';
import { drawLines } from '../layers/line-layers.ts';
import { type ChartType, lineSigns } from './chart-type.ts';

export const line: ChartType = {
  name: 'Line chart',
  signs: lineSigns,
  fits: ({ time, numbers }) => time || numbers,
  needs: 'a time or numeric dimension',
  build: buildPanels,
  draw: (chart, options) => chart.panels.map((panel) => drawLines(chart, panel, { ...options, filled: false })),
  describe: describeSeriesOf,
};
