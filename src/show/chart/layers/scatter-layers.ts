import { invariant } from '../../../ask/invariant.ts';
import type { Chart } from '../chart.ts';
import type { DrawOptions } from '../draw-options.ts';
import { toValueLabels, toValueScale } from '../vega-lite/vega-lite-axis.ts';
import type { VegaLiteSpec } from '../vega-lite/vega-lite-spec.ts';

/** A point for each row. The title of the upward scale stands above it, where it can be read without turning one's head. */
export function drawPoints({ x, panels }: Pick<Chart, 'x' | 'panels'>, { width, height, theme }: DrawOptions): VegaLiteSpec {
  const [panel] = panels;
  const [series] = panel?.series ?? [];
  invariant(panel && series, 'a scatter chart has a measure');
  const across = [{ label: '', role: 'plain' as const, values: x.positions, flags: [] }];
  return {
    width, height,
    data: { values: x.positions.map((position, place) => ({ x: position, y: series.values[place] ?? null, label: x.labels[place] ?? '' })) },
    mark: { type: 'point', filled: true, size: 40, opacity: 0.65, color: theme.series[0] ?? theme.text },
    encoding: {
      x: { field: 'x', type: 'quantitative', scale: toValueScale(across, { fromZero: false }), axis: { ...toValueLabels({ format: x.format, series: across }), title: x.title } },
      y: { field: 'y', type: 'quantitative', scale: toValueScale([series], { fromZero: false }), axis: { ...toValueLabels(panel), title: null } },
    },
  };
}
