import { buildPanels } from '../build-panels.ts';
import { describeSeriesOf } from '../describe-series.ts';
import { drawBars } from '../layers/bar-layers.ts';
import { barSigns, type ChartType } from './chart-type.ts';

export const grouped: ChartType = {
  name: 'Grouped bar chart',
  signs: barSigns,
  fits: ({ dimensions }) => dimensions > 0,
  needs: 'values to compare',
  namesAside: 'places',
  build: (input) => buildPanels(input, { bands: 'always' }),
  draw: (chart, options) => drawBars(chart, { ...options, stacked: false }),
  describe: describeSeriesOf,
};
