import { formatNumber } from '../../../shape/format/format-number.ts';
import { noValue } from '../../../shape/format/format.ts';
import { toPercent } from '../../../shape/funnel-result.ts';
import { textWidth } from '../../fonts/text-width.ts';
import type { Chart } from '../chart.ts';
import type { DrawOptions } from '../draw-options.ts';
import { formatShare } from '../funnel-chart.ts';
import type { Json, VegaLiteSpec } from '../vega-lite-spec.ts';
import { toValueScale } from './vega-lite-axis.ts';

const letterWidth = 6.6;

/** A bar for each step, and in the line between two of them who went on. */
export function drawFunnel({ x, panels }: Pick<Chart, 'x' | 'panels'>, { width, theme }: DrawOptions): VegaLiteSpec {
  const [panel] = panels;
  const counts = panel?.series[0]?.values ?? [];
  const figures = counts.map((count) => (count === null ? noValue : `${formatNumber(count)} (${formatShare(toPercent(count, counts[0] ?? null))})`));
  const gaps = counts.map((_, place) => `→${place}`);
  const names = Math.min(width * 0.4, Math.max(0, ...x.labels.map((label) => label.length)) * letterWidth);
  const rows = x.labels.flatMap((label, place): readonly { readonly [field: string]: Json }[] => [
    ...(place === 0 ? [] : [{ place: gaps[place] ?? '', y: null, label: '', aside: fitClauses(x.asides?.[place] ?? '', width - names - 20) }]),
    { place: label, y: counts[place] ?? 0, label: figures[place] ?? '', aside: '' },
  ]);
  const free = Math.min(0.6, (Math.max(0, ...figures.map((figure) => figure.length)) * letterWidth + 8) / Math.max(80, width - names - 16));
  const across = { field: 'y', type: 'quantitative', scale: toValueScale(panel?.series ?? [], { fromZero: true, free }), axis: { labels: false, ticks: false, grid: false, domain: false, title: null }, stack: null };
  return {
    width, height: { step: 24 },
    data: { values: rows },
    encoding: {
      y: { field: 'place', type: 'nominal', sort: null, scale: { domain: rows.map((row) => row['place'] ?? ''), paddingInner: 0.15, paddingOuter: 0.1 }, axis: { title: null, grid: false, ticks: false, domain: false, labelLimit: Math.round(width * 0.4), values: x.labels } },
    },
    layer: [
      { mark: { type: 'bar', orient: 'horizontal', color: theme.series[0] ?? theme.text }, encoding: { x: across } },
      { mark: { type: 'text', align: 'left', baseline: 'middle', dx: 4, fontSize: 11 }, encoding: { x: across, text: { field: 'label', type: 'nominal' }, color: { value: theme.text } } },
      { mark: { type: 'text', align: 'left', baseline: 'middle', dx: 4, fontSize: 11 }, encoding: { x: { value: 0 }, text: { field: 'aside', type: 'nominal' }, color: { value: theme.quiet } } },
    ],
  };
}

/** As many clauses of a sentence as there is room for. */
function fitClauses(sentence: string, room: number): string {
  const end = sentence.lastIndexOf(', ');
  return end < 0 || textWidth(sentence, { size: 11 }) <= room ? sentence : fitClauses(sentence.slice(0, end), room);
}
