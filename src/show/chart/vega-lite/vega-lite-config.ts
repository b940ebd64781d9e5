import type { Theme } from '../palette.ts';
import type { VegaLiteSpec } from './vega-lite-spec.ts';

/** How everything looks that is no mark: little ink beside the data. Marks say nothing of their own to screen readers, the description speaks for all. */
export function toConfig({ text, quiet, grid, series }: Theme): VegaLiteSpec {
  return {
    aria: false,
    view: { stroke: null },
    padding: 12,
    title: { anchor: 'start', frame: 'bounds', color: text, fontSize: 15, fontWeight: 600, subtitleColor: quiet, subtitleFontSize: 12, subtitlePadding: 5, offset: 14, lineHeight: 19, subtitleLineHeight: 16 },
    axis: { labelColor: quiet, titleColor: quiet, labelFontSize: 11, titleFontSize: 11, titleFontWeight: 400, gridColor: grid, domainColor: quiet, tickColor: quiet, tickSize: 4, labelPadding: 4 },
    axisY: { domain: false, ticks: false },
    legend: { labelColor: text, labelFontSize: 11, titleColor: quiet, symbolSize: 80, symbolStrokeWidth: 2.5, offset: 8, rowPadding: 4, columnPadding: 14 },
    text: { color: text },
    range: { category: series },
  };
}
