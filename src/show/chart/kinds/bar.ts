import { buildPanels } from '../build-panels.ts';
import { describeSeriesOf } from '../describe-series.ts';
import { drawBars } from '../layers/bar-layers.ts';
import { barSigns, type ChartType } from './chart-type.ts';
import { toPlainBars } from './column.ts';

export const bar: ChartType = {
  name: 'Bar chart',
  signs: barSigns,
  fits: ({ dimensions }) => dimensions > 0,
  needs: 'values to compare',
  namesAside: 'places',
  drawnAs: toPlainBars,
  build: buildPanels,
  draw: (chart, options) => drawBars(chart, { ...options, stacked: false }),
  describe: describeSeriesOf,
};
