import { noValue } from '../../../shape/format/format.ts';
import { isPartial } from '../../labels/mark-legend.ts';
import { stackValues } from '../chart-series.ts';
import type { Chart, ChartAxis, ChartPanel, PlacedAnnotation, DrawOptions, Json, VegaLiteSpec } from '../chart.ts';
import { formatDrawn } from '../names.ts';
import {
  toColour,
  toSeriesColours,
  annotationLayers,
  placeNumbers,
  filledLayers,
  toFilledMark,
} from './shared-layers.ts';
import { breakSign, isBreak } from '../time-places.ts';
import {
  isBroken,
  toBandAxis,
  toBandLabels,
  toRunningAxis,
  toRunningDomain,
  toValueLabels,
  toValueScale,
} from './vega-lite-axis.ts';

type Row = { readonly [field: string]: Json };

/** Tells whether a field has a number in some row. */
const numbersIn = (rows: readonly Row[]) => (field: string) => rows.some((row) => typeof row[field] === 'number');

/** The most bars with labels; more are read by their axis. */
const mostLabels = 24;
/** The most columns that have room for names. */
const mostBands = 40;
const barStep = 22;
const letterWidth = 6.6;

/**
 * Bars from 0: side by side or on top of each other, from left to right or from top to bottom. Partial buckets are pale
 * and dashed.
 */
export function drawBars(
  { x, panels }: Pick<Chart, 'x' | 'panels'>,
  { stacked, ...options }: BarOptions,
): readonly VegaLiteSpec[] {
  return panels.map((panel) => (x.ordered ? drawColumns : drawRows)(x, panel, { stacked, ...options }));
}

interface BarOptions extends DrawOptions {
  /** Stack the bars instead of placing them side by side. */
  readonly stacked: boolean;
}

function drawRows(x: ChartAxis, panel: ChartPanel, { width, theme, stacked }: BarOptions): VegaLiteSpec {
  const { series, format } = panel;
  const grouped = !stacked && series.length > 1;
  const labelled = !stacked && x.labels.length * series.length <= mostLabels;
  const rows = toBarRows(x, panel, stacked, format);
  const longest = Math.max(0, ...rows.map((row) => String(row['label'] ?? '').length));
  const names = Math.min(width * 0.4, Math.max(0, ...x.labels.map((label) => label.length)) * letterWidth);
  const free = labelled ? Math.min(0.5, (longest * letterWidth + 8) / Math.max(80, width - names - 16)) : 0;
  const scale = toValueScale(stacked ? stackedSeries(panel) : series, { fromZero: true, free });
  // If each bar shows its number, an axis is redundant.
  const axis: VegaLiteSpec = labelled
    ? { labels: false, ticks: false, grid: false, domain: false, title: null }
    : { ...toValueLabels(panel), title: null };
  const across = (field: string): VegaLiteSpec => ({ field, type: 'quantitative', scale, axis, stack: null });
  const size = grouped ? Math.max(1, series.length * 0.7) * barStep : barStep;
  const colour =
    x.labels.length > 0 && series.length === 1 && x.other !== undefined
      ? otherColour(theme.series[0] ?? theme.text, theme.other)
      : toColour(series, theme, width - names);
  const signs = filledLayers((field) => ({ x: across(field) }), numbersIn(rows), theme);
  const look = { color: theme.text, gap: signs.length > 0 ? 8 : 4 };
  return {
    width,
    height: { step: grouped ? size / Math.max(1, series.length) : size, ...(grouped && { for: 'offset' }) },
    data: { values: rows },
    encoding: {
      y: withPadding(toBandAxis(x, { width, field: 'place' }), grouped ? 0.2 : 0.25),
      color: colour,
      ...(grouped && {
        yOffset: { field: 'series', type: 'nominal', sort: null, scale: { domain: series.map(({ label }) => label) } },
      }),
    },
    layer: [
      {
        mark: { type: 'bar', orient: 'horizontal' },
        encoding: stacked ? { x: across('y_end'), x2: { field: 'y_start' } } : { x: across('y') },
      },
      ...signs,
      ...(labelled ? (['left', 'right'] as const).flatMap((side) => valueLabels(across, rows, look, side)) : []),
    ],
  };
}

/** Puts labels to the right of bars that go right, and to the left of those that go left. */
function valueLabels(
  across: (field: string) => VegaLiteSpec,
  rows: readonly Row[],
  { color, gap }: { readonly color: string; readonly gap: number },
  align: 'left' | 'right',
): readonly VegaLiteSpec[] {
  const field = align === 'left' ? 'upto' : 'downto';
  if (!numbersIn(rows)(field)) return [];
  return [
    {
      mark: { type: 'text', align, baseline: 'middle', dx: align === 'left' ? gap : -gap, fontSize: 11 },
      encoding: { x: across(field), text: { field: 'label', type: 'nominal' }, color: { value: color } },
    },
  ];
}

function otherColour(own: string, other: string): VegaLiteSpec {
  return { field: 'role', type: 'nominal', scale: { domain: ['plain', 'other'], range: [own, other] }, legend: null };
}

function drawColumns(x: ChartAxis, panel: ChartPanel, options: BarOptions): VegaLiteSpec {
  const { width, height, theme, annotations, stacked } = options;
  const { series } = panel;
  const grouped = !stacked && series.length > 1;
  const inBands = grouped || x.ends.length === 0 || x.labels.length <= mostBands || isBroken(x);
  const rows = toBarRows(x, panel, stacked, undefined);
  const scaled = stacked ? stackedSeries(panel) : series;
  const axis: VegaLiteSpec = { ...toValueLabels({ ...panel, series: scaled }), title: null };
  const up = (field: string) => ({
    field,
    type: 'quantitative',
    scale: toValueScale(scaled, { fromZero: true }),
    axis,
    stack: null,
  });
  const has = numbersIn(rows);
  const running = { toEnd: true, annotated: [] };
  const along: VegaLiteSpec = inBands
    ? { x: withPadding(toBandAxis(x, { width, field: 'place' }), grouped ? 0.2 : 0.15) }
    : { x: toRunningAxis(x, { width, ...running }) };
  const heights = (field: string): VegaLiteSpec => ({
    ...(!inBands && { x2: { field: 'x_end' } }),
    ...(stacked ? { y: up(`${field}_end`), y2: { field: `${field}_start` } } : { y: up(field) }),
  });
  const stroke: VegaLiteSpec =
    series.length > 1
      ? {
          stroke: {
            field: 'series',
            type: 'nominal',
            scale: { domain: series.map(({ label }) => label), range: toSeriesColours(series, theme) },
            legend: null,
          },
        }
      : { stroke: { value: toSeriesColours(series, theme)[0] ?? theme.text } };
  const layers: VegaLiteSpec[] = [{ mark: { type: 'bar', orient: 'vertical' }, encoding: heights('y') }];
  if (has(stacked ? 'pale_end' : 'pale'))
    layers.push({
      mark: { type: 'bar', orient: 'vertical', fillOpacity: 0.35, strokeWidth: 1, strokeDash: [3, 2] },
      encoding: { ...heights('pale'), ...stroke },
    });
  layers.push(...filledLayers((field) => ({ y: up(field) }), has, theme));
  const marks = inBands
    ? bandAnnotations(annotations, x, { width, colour: theme.annotation })
    : annotationLayers(annotations, { domain: toRunningDomain(x, running), width, theme });
  return {
    width,
    height,
    data: { values: rows },
    encoding: {
      ...along,
      color: toColour(series, theme, width),
      ...(grouped && {
        xOffset: { field: 'series', type: 'nominal', sort: null, scale: { domain: series.map(({ label }) => label) } },
      }),
    },
    layer: [...layers, ...(isBroken(x) ? [breakSigns(x, theme.quiet)] : []), ...marks],
  };
}

/** A sign in each band that stands for several missing buckets: its label may be left out for lack of room. */
function breakSigns(x: ChartAxis, colour: string): VegaLiteSpec {
  const values = toBandLabels(x).flatMap((place, at) => (isBreak(x, at) ? [{ place, sign: breakSign }] : []));
  return {
    data: { values },
    mark: { type: 'text', baseline: 'bottom', dy: -4, fontSize: 11 },
    encoding: {
      x: { field: 'place', type: 'nominal' },
      y: { value: 'height' },
      text: { field: 'sign', type: 'nominal' },
      color: { value: colour },
    },
  };
}

/** An axis of bars has no positions between its places, so mark a date at its fraction of the bucket's width. */
function bandAnnotations(
  annotations: readonly PlacedAnnotation[],
  x: ChartAxis,
  { width, colour }: { readonly width: number; readonly colour: string },
): readonly VegaLiteSpec[] {
  if (x.ends.length === 0) return [];
  const labels = toBandLabels(x);
  const numbers = new Map<string, { readonly place: number; readonly part: number; readonly all: number[] }>();
  annotations.forEach(({ position }, index) => {
    const place = x.positions.findLastIndex((start) => start <= position);
    const start = x.positions[place] ?? 0;
    const part = Math.round(((position - start) / ((x.ends[place] ?? start + 1) - start)) * 20) / 20;
    const key = `${place} ${part}`;
    const there = numbers.get(key) ?? { place, part, all: [] };
    there.all.push(index + 1);
    numbers.set(key, there);
  });
  const band = width / labels.length;
  const lines = Array.from(numbers.values(), ({ place, part, all }) => ({ at: (place + part) * band, all }));
  /** A position in pixels, as a place and a part of its band. */
  const along = (at: number, mark: VegaLiteSpec, more: VegaLiteSpec): VegaLiteSpec => {
    const place = Math.min(labels.length - 1, Math.floor(at / band));
    return {
      data: { values: [{ place: labels[place] ?? '', ...more }] },
      mark,
      encoding: {
        x: { field: 'place', type: 'nominal', bandPosition: Math.round((at / band - place) * 20) / 20 },
        color: { value: colour },
        y: { value: 0 },
        ...('mark' in more ? { text: { field: 'mark', type: 'nominal' } } : { y2: { value: 'height' } }),
      },
    };
  };
  return [
    ...lines.map(({ at }) => along(at, { type: 'rule', strokeWidth: 1, strokeDash: [1, 2] }, {})),
    ...placeNumbers(lines).map(({ at, mark }) =>
      along(at, { type: 'text', baseline: 'bottom', dy: -2, fontSize: 10 }, { mark }),
    ),
  ];
}

function withPadding(channel: VegaLiteSpec, padding: number): VegaLiteSpec {
  const { scale } = channel;
  return {
    ...channel,
    scale: {
      ...(typeof scale === 'object' && scale !== null ? scale : {}),
      paddingInner: padding,
      paddingOuter: padding / 2,
    },
  };
}

function stackedSeries({ series }: ChartPanel): ChartPanel['series'] {
  const values = stackValues(series).flatMap((parts) => parts.map(([, end]) => end));
  return [{ label: '', role: 'plain', flags: [], values }];
}

function toBarRows(x: ChartAxis, { series }: ChartPanel, stacked: boolean, format: string | undefined): readonly Row[] {
  const stacks = stacked ? stackValues(series) : [];
  const labels = toBandLabels(x);
  return series.flatMap(({ label, values, flags }, index) =>
    values.map((value, place): Row => {
      const all = (x.flags[place] ?? 0) | (flags[place] ?? 0);
      const name = x.ordered && isPartial(all) ? 'pale' : 'y';
      const [start, end] = stacks[index]?.[place] ?? [0, 0];
      const row = {
        place: labels[place] ?? '',
        ...(x.ends.length > 0 && { x: x.positions[place] ?? 0, x_end: x.ends[place] ?? 0 }),
        series: label,
        role: place === x.other ? 'other' : 'plain',
      };
      if (value === null) return { ...row, y: null, ...(!x.ordered && !stacked && { label: noValue, upto: 0 }) };
      return {
        ...row,
        ...(stacked ? { [`${name}_start`]: start, [`${name}_end`]: end } : { [name]: value }),
        ...toFilledMark(flags[place] ?? 0, stacked ? end : value),
        ...(!x.ordered && !stacked && { label: formatDrawn(value, format), [value < 0 ? 'downto' : 'upto']: value }),
      };
    }),
  );
}
