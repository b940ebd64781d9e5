import { buildPanels } from '../build-panels.ts';
import { describeSeriesOf } from '../describe-series.ts';
import { drawBars } from '../layers/bar-layers.ts';
import type { ChartKind } from '../../../ask/chart/chart-preference.ts';
import type { ResultShape } from '../result-shape.ts';
import { barSigns, type ChartType } from './chart-type.ts';

export const column: ChartType = {
  name: 'Column chart',
  signs: barSigns,
  fits: ({ dimensions }) => dimensions > 0,
  needs: 'values to compare',
  drawnAs: toPlainBars,
  build: (input) => buildPanels(input, { bands: 'numbers' }),
  draw: (chart, options) => drawBars(chart, { ...options, stacked: false }),
  describe: describeSeriesOf,
};

/** `bar` and `column` are synonyms: names get bars with room beside them; times and numbers run from left to right. */
export function toPlainBars({ time, numbers, series, parts, shared }: ResultShape): ChartKind {
  if (series > 1 || shared) return parts && !shared ? 'stacked' : 'grouped';
  return time || numbers ? 'column' : 'bar';
}
