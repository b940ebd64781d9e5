import { formatNumber } from '../../../shape/format/format-number.ts';
import { partialByPresent, partialByRange } from '../../../shape/result/marks.ts';
import { isPartial, toMarkLegend } from '../../labels/mark-legend.ts';
import type { Chart, ChartPanel } from '../chart.ts';
import type { DrawOptions } from '../draw-options.ts';
import { mixColours, toInk } from '../palette.ts';
import type { Json, VegaLiteSpec } from '../vega-lite-spec.ts';
import { toBandAxis, toBandLabels, toValueLabels } from './vega-lite-axis.ts';

/** More cells than these have no room for their numbers. */
const mostNumbers = 240;
const letterWidth = 6.2;
const partial = partialByRange | partialByPresent;
const signs = { filled: '·', filledOrZero: '?', partial: '~' } as const;

/** A cell for each place of each series, from little to much; no cell where there is no value. Below 0 is another colour. */
export function drawHeatmap({ x }: Pick<Chart, 'x'>, { series, format }: ChartPanel, { width, theme }: DrawOptions): VegaLiteSpec {
  const places = toBandLabels(x);
  const values = series.flatMap((each) => each.values).filter((value) => value !== null);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const least = values.reduce((a, b) => Math.min(a, b), 0);
  const texts = values.map((value) => formatNumber(value, format));
  const room = (width - Math.min(width * 0.4, longestOf(series.map(({ label }) => label)) * letterWidth)) / Math.max(1, places.length);
  const numbered = values.length <= mostNumbers && (longestOf(texts) + 1) * letterWidth <= room;
  const end = Math.max(most, -least) || 1;
  const colourOf = (value: number) => mixColours(theme.sequence[0], value < 0 ? theme.below : theme.sequence[1], Math.abs(value) / end);
  const rows = series.flatMap(({ label, values: own, flags }) => own.flatMap((value, place): readonly { readonly [field: string]: Json }[] => {
    if (value === null) return [];
    // A bucket is partial for all series, but filled for each by itself.
    const all = (flags[place] ?? 0) | ((x.flags[place] ?? 0) & partial);
    return [{
      place: places[place] ?? '', series: label, value, shade: isPartial(all) ? 0.55 : 1,
      ...(numbered && { label: `${formatNumber(value, format)}${toMarkLegend(all).map(({ kind }) => signs[kind]).join('')}`, ink: toInk(colourOf(value)) }),
    }];
  }));
  const domain = least < 0 ? [-end, 0, end] : [0, end];
  const range = least < 0 ? [theme.below, theme.sequence[0], theme.sequence[1]] : theme.sequence;
  // Where each cell has its number, a legend would say it again.
  const legend = numbered ? null : { title: null, orient: 'top', direction: 'horizontal', gradientLength: Math.min(200, width / 2), tickCount: 3, ...toValueLabels({ format, series }) };
  const up = { field: 'series', type: 'nominal', sort: null, scale: { domain: series.map(({ label }) => label), padding: 0.04 }, axis: { title: null, grid: false, ticks: false, domain: false, labelLimit: Math.round(width * 0.4) } };
  const along = turnNames(toBandAxis({ ...x, ordered: true }, { width, field: 'place' }), x.ordered || longestOf(places) * letterWidth <= room);
  return {
    width, height: { step: 24 },
    data: { values: rows },
    encoding: { x: along, y: up },
    layer: [
      { mark: { type: 'rect' }, encoding: { color: { field: 'value', type: 'quantitative', scale: { domain, range, type: 'linear', interpolate: 'rgb' }, legend }, fillOpacity: { field: 'shade', type: 'quantitative', scale: null, legend: null } } },
      ...(numbered ? [{ mark: { type: 'text', baseline: 'middle', fontSize: 10 }, encoding: { text: { field: 'label', type: 'nominal' }, fill: { field: 'ink', type: 'nominal', scale: null, legend: null } } }] : []),
    ],
  };
}

function longestOf(texts: readonly string[]): number {
  return texts.reduce((longest, { length }) => Math.max(longest, length), 0);
}

/** Names must not be left out, as times and numbers may be: where they have no room they stand askew. */
function turnNames(channel: VegaLiteSpec, fits: boolean): VegaLiteSpec {
  const axis = channel['axis'] as VegaLiteSpec;
  return fits ? channel : { ...channel, axis: { ...axis, labelAngle: -35, labelOverlap: false, labelLimit: 160 } };
}
