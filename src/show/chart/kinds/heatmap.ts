import { formatNumber } from '../../../shape/format/format-number.ts';
import type { Column } from '../../../plan/column.ts';
import { partialByPresent, partialByRange } from '../../../shape/result/marks.ts';
import type { Result } from '../../../shape/result/result.ts';
import { isPartial, toMarkLegend } from '../../labels/mark-legend.ts';
import { buildPanels } from '../build-panels.ts';
import type { Chart, ChartPanel, DrawOptions, Json, VegaLiteSpec } from '../chart.ts';
import { describePanels } from '../describe-series.ts';
import { toBandAxis, toBandLabels, toValueLabels } from '../layers/vega-lite-axis.ts';
import { formatDrawn } from '../names.ts';
import { mixColours, toInk } from '../palette.ts';
import type { Axes } from '../result-shape.ts';
import type { ChartType } from './chart-type.ts';

/** The most cells that have room for their numbers. */
const mostNumbers = 400;
const letterWidth = 6.2;
/** The opacity of a partial cell. */
const pale = 0.55;
const partial = partialByRange | partialByPresent;
const signs = { filled: '·', filledOrZero: '?', partial: '~' } as const;
/** The most rows that fit on a screen. */
const mostSeries = 40;

export const heatmap: ChartType = {
  name: 'Heat map',
  marks: ['rect'],
  signs: { filled: '·', filledOrZero: '?', partial: '~ or pale:' },
  fits: ({ dimensions }) => dimensions > 1,
  needs: 'two dimensions',
  namesAside: 'series',
  build: (input) =>
    buildPanels({ ...input, axes: turn(input.result, input.axes) }, { bands: 'always', gathers: false, mostSeries }),
  draw: (chart, options) => chart.panels.map((panel) => draw(chart, panel, options)),
  describe: (chart) => describePanels(chart, (panel) => describe(chart, panel)),
};

/** Names have more room at the side than at the foot. */
function turn(result: Result<object>, axes: Axes): Axes {
  const [only, another] = axes.across;
  const count = (column: Column) => result.codes(column.key).dictionary.length;
  const isTurned =
    axes.along?.type === 'string' && only && !another && only.type === 'string' && count(only) < count(axes.along);
  return isTurned && axes.along ? { along: only, across: [axes.along] } : axes;
}

/**
 * One cell per place and series, shaded by value; no cell if there is no value. Negative values have another colour.
 */
function draw(
  { x }: Chart,
  { series, format }: ChartPanel,
  { width, theme, explainsShades }: DrawOptions,
): VegaLiteSpec {
  const places = toBandLabels(x);
  const values = series.flatMap((each) => each.values).filter((value) => value !== null);
  const shaded = wholesFirst(series, format) ? series.flatMap((each) => each.values.slice(1)) : values;
  const most = shaded.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const least = values.reduce((a, b) => Math.min(a, b), 0);
  const texts = values.map((value) => formatDrawn(value, format));
  const room =
    (width - Math.min(width * 0.4, longestOf(series.map(({ label }) => label)) * letterWidth)) /
    Math.max(1, places.length);
  const numbered = values.length <= mostNumbers && (longestOf(texts) + 1) * letterWidth <= room;
  const end = roundUp(Math.max(most, -least)) || 1;
  const colourOf = (value: number) =>
    mixColours(theme.sequence[0], value < 0 ? theme.below : theme.sequence[1], Math.min(1, Math.abs(value) / end));
  const rows = series.flatMap(({ label, values: own, flags }) =>
    own.flatMap((value, place): readonly { readonly [field: string]: Json }[] => {
      if (value === null) return [];
      // A bucket is partial for all series, but filled for each series separately.
      const all = (flags[place] ?? 0) | ((x.flags[place] ?? 0) & partial);
      return [
        {
          place: places[place] ?? '',
          series: label,
          value,
          shade: isPartial(all) ? pale : 1,
          ...(numbered && {
            label: `${formatDrawn(value, format)}${toMarkLegend(all)
              .map(({ kind }) => signs[kind])
              .join('')}`,
            ink: toInk(isPartial(all) ? mixColours(theme.background, colourOf(value), pale) : colourOf(value)),
          }),
        },
      ];
    }),
  );
  const domain = least < 0 ? [-end, 0, end] : [0, end];
  const range = least < 0 ? [theme.below, theme.sequence[0], theme.sequence[1]] : theme.sequence;
  // If cells show their numbers, a legend is redundant.
  const legend =
    numbered && !explainsShades
      ? null
      : {
          title: null,
          orient: 'top',
          direction: 'horizontal',
          gradientLength: Math.min(200, width / 2),
          values: domain,
          ...toValueLabels({ format, series: [{ label: '', role: 'plain', values: domain, flags: [] }] }),
          // Only shares are cut, see `wholesFirst`.
          ...(values.some((value) => value > end) && {
            labelExpr: `datum.label + (datum.value == ${end} ? '% or more' : '%')`,
          }),
        };
  const up = {
    field: 'series',
    type: 'nominal',
    sort: null,
    scale: { domain: series.map(({ label }) => label), padding: 0.04 },
    axis: { title: null, grid: false, ticks: false, domain: false, labelLimit: Math.round(width * 0.4) },
  };
  const along = slantLabels(
    toBandAxis({ ...x, ordered: true }, { width, field: 'place' }),
    x.ordered || longestOf(places) * letterWidth <= room,
  );
  return {
    width,
    height: { step: 24 },
    data: { values: rows },
    encoding: { x: along, y: up },
    layer: [
      {
        mark: { type: 'rect' },
        encoding: {
          color: {
            field: 'value',
            type: 'quantitative',
            scale: { domain, range, type: 'linear', interpolate: 'rgb', clamp: true },
            legend,
          },
          fillOpacity: { field: 'shade', type: 'quantitative', scale: null, legend: null },
        },
      },
      ...(numbered
        ? [
            {
              mark: { type: 'text', baseline: 'middle', fontSize: 10 },
              encoding: {
                text: { field: 'label', type: 'nominal' },
                fill: { field: 'ink', type: 'nominal', scale: null, legend: null },
              },
            },
          ]
        : []),
    ],
  };
}

/** The next number of two digits, so that the end of the shades has a short label. */
function roundUp(value: number): number {
  const near = Number(value.toPrecision(2));
  if (near >= value) return near;
  const [digits = '', power = '0'] = near.toExponential(1).split('e');
  const next = Number(`${Math.round(Number(digits) * 10) + 1}e${Number(power) - 1}`);
  return Number.isFinite(next) ? next : value;
}

/**
 * True if the first column contains totals and the others are shares of them. The totals would take up the whole colour
 * scale, so that the shares look alike.
 */
function wholesFirst(series: ChartPanel['series'], format: string | undefined): boolean {
  const rest = series.flatMap(({ values }) => values.slice(1)).filter((value) => value !== null);
  return (
    format === 'percent' &&
    series.every(({ values: [first] }) => first === 100 || first === null) &&
    rest.some((value) => value > 0) &&
    rest.every((value) => value < 100)
  );
}

function longestOf(texts: readonly string[]): number {
  return texts.reduce((longest, { length }) => Math.max(longest, length), 0);
}

/** Slants names that do not fit. Unlike times and numbers, names must not be omitted. */
function slantLabels(channel: VegaLiteSpec, fits: boolean): VegaLiteSpec {
  const axis = channel['axis'] as VegaLiteSpec;
  return fits ? channel : { ...channel, axis: { ...axis, labelAngle: -35, labelOverlap: false, labelLimit: 280 } };
}

/** The extremes of all cells. */
function describe({ x }: Chart, { series, format }: ChartPanel): string {
  const cells = series.flatMap(({ label, values }) =>
    values.flatMap((value, place) => (value === null ? [] : [{ value, where: `${label}, ${x.labels[place] ?? ''}` }])),
  );
  const [first] = cells;
  if (!first) return 'no values.';
  const least = cells.reduce((a, b) => (b.value < a.value ? b : a));
  const most = cells.reduce((a, b) => (b.value > a.value ? b : a));
  return (
    `${formatNumber(cells.length)} cells, from ${formatDrawn(least.value, format)} (${least.where}) ` +
    `to ${formatDrawn(most.value, format)} (${most.where}).`
  );
}
