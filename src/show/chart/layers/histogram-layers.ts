import type { Chart } from '../chart.ts';
import type { DrawOptions } from '../draw-options.ts';
import type { VegaLiteSpec } from '../vega-lite-spec.ts';
import { toBandAxis, toValueLabels, toValueScale } from './vega-lite-axis.ts';

const labelWidth = 64;

/** A bar for each bin, from bound to bound; where a bin is one number, above that. */
export function drawHistogram({ x, panels }: Pick<Chart, 'x' | 'panels'>, { width, height, theme }: DrawOptions): VegaLiteSpec {
  const [series] = panels[0]?.series ?? [];
  const counts = series?.values ?? [];
  const isBand = x.ends.length === 0;
  const bounds = [...x.positions, ...x.ends.slice(-1)];
  const every = Math.ceil(bounds.length / Math.max(2, Math.floor(width / labelWidth)));
  const across = [{ label: '', role: 'plain' as const, values: bounds, flags: [] }];
  const band = toBandAxis(x, { width, field: 'place' });
  const along: VegaLiteSpec = isBand
    ? { x: { ...band, axis: { ...(band['axis'] as VegaLiteSpec), title: x.title } } }
    : {
      x: {
        field: 'x', type: 'quantitative', bin: 'binned', scale: { domain: [bounds[0] ?? 0, bounds.at(-1) ?? 1], nice: false, zero: false },
        axis: { ...toValueLabels({ format: x.format, series: across }), values: bounds.filter((_, index) => index % every === 0), grid: false, title: x.title, labelFlush: false },
      },
      x2: { field: 'x_end' },
    };
  return {
    width, height,
    data: { values: counts.map((count, bin) => ({ place: x.labels[bin] ?? '', ...(!isBand && { x: x.positions[bin] ?? 0, x_end: x.ends[bin] ?? 0 }), y: count })) },
    mark: { type: 'bar', orient: 'vertical', color: theme.series[0] ?? theme.text },
    encoding: { ...along, y: { field: 'y', type: 'quantitative', scale: series ? toValueScale([series], { fromZero: true }) : {}, axis: { format: ',d', tickMinStep: 1, title: null }, stack: null } },
  };
}
