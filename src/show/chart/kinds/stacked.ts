import { buildPanels } from '../build-panels.ts';
import { describeSeriesOf } from '../describe-series.ts';
import { drawBars } from '../layers/bar-layers.ts';
import { barSigns, type ChartType } from './chart-type.ts';

export const stacked: ChartType = {
  name: 'Stacked bar chart',
  signs: barSigns,
  fits: ({ dimensions, parts, opposed, shared }) => dimensions > 0 && (parts || opposed) && !shared,
  needs: 'a measure that adds up and is never below 0',
  namesAside: 'places',
  build: (input) => buildPanels(input, { bands: 'numbers' }),
  draw: (chart, options) => drawBars(chart, { ...options, stacked: true }),
  describe: describeSeriesOf,
};
