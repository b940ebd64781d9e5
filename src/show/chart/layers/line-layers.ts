import { isFilled, isPartial } from '../../labels/mark-legend.ts';
import { stackValues } from '../chart-series.ts';
import type { Chart, ChartAxis, ChartPanel, ChartSeries, DrawOptions, Json, VegaLiteSpec } from '../chart.ts';
import { toColour, annotationLayers, filledLayers, toFilledMark } from './shared-layers.ts';
import { toRunningAxis, toRunningDomain, toValueLabels, toValueScale } from './vega-lite-axis.ts';

interface LineOptions extends DrawOptions {
  /** Fill the area below each line, and stack several. */
  readonly filled: boolean;
}

/**
 * Lines or areas along an axis: dashed in partial buckets, broken at missing values, a point for an isolated value, an
 * open circle at both ends of a run in which nothing was counted.
 */
export function drawLines(
  { x, panels }: Pick<Chart, 'x' | 'panels'>,
  panel: ChartPanel,
  { width, height, theme, annotations, filled }: LineOptions,
): VegaLiteSpec {
  const stacked = filled && panel.series.length > 1;
  const rows = stacked ? toStackRows(x, panel) : panel.series.flatMap((series) => toLineRows(x, series));
  const has = (field: string) => rows.some((row) => row[field] !== undefined && row[field] !== null);
  const scaled = stacked
    ? [
        ...panel.series,
        { label: '', role: 'plain' as const, flags: [], values: rows.map((row) => row['y_end'] as number | null) },
      ]
    : panel.series;
  const axis = { ...toValueLabels({ ...panel, series: scaled }), title: null };
  const scale = toValueScale(scaled, { fromZero: filled || panel.fromZero === true, extent: panel.extent });
  const up = (field: string) => ({ field, type: 'quantitative', scale, axis });
  const layers: VegaLiteSpec[] = [];
  if (stacked) {
    layers.push({
      mark: { type: 'area', fillOpacity: 0.85 },
      encoding: { y: { ...up('y_end'), stack: null }, y2: { field: 'y_start' } },
    });
    if (has('pale_end'))
      layers.push({
        mark: { type: 'area', fillOpacity: 0.4 },
        encoding: { y: { ...up('pale_end'), stack: null }, y2: { field: 'pale_start' } },
      });
  } else {
    if (filled && (panel.additive || panels.length === 1) && has('area'))
      layers.push({ mark: { type: 'area', fillOpacity: 0.18 }, encoding: { y: { ...up('area'), stack: null } } });
    if (has('before'))
      layers.push({ mark: { type: 'line', strokeDash: [2, 3], strokeWidth: 1.5 }, encoding: { y: up('before') } });
    if (has('y')) layers.push({ mark: { type: 'line', strokeWidth: 2 }, encoding: { y: up('y') } });
    if (has('dashed'))
      layers.push({ mark: { type: 'line', strokeWidth: 2, strokeDash: [5, 4] }, encoding: { y: up('dashed') } });
    if (has('alone'))
      layers.push({ mark: { type: 'point', filled: true, size: 36, opacity: 1 }, encoding: { y: up('alone') } });
  }
  layers.push(...filledLayers((field) => ({ y: up(field) }), has, theme));
  const last = x.positions.at(-1) ?? 0;
  const annotated = annotations.map(({ position }) => position).filter((position) => position > last);
  const domain = toRunningDomain(x, { toEnd: false, annotated });
  return {
    width,
    height,
    data: { values: rows },
    encoding: {
      x: toRunningAxis(x, {
        width,
        toEnd: false,
        annotated,
      }),
      color: toColour(panel.series, theme, width),
    },
    layer: [...annotationLayers(annotations, { domain, width, theme }), ...layers],
  };
}

function toLineRows(
  x: ChartAxis,
  { label, role, values, flags }: ChartSeries,
): readonly { readonly [field: string]: Json }[] {
  const partial = values.map((_, place) => isPartial((x.flags[place] ?? 0) | (flags[place] ?? 0)));
  const solid = values.map((value, place) => (partial[place] ? null : value));
  const dashed = values.map((value, place) =>
    partial[place] || partial[place - 1] || partial[place + 1] ? value : null,
  );
  const joins = (line: readonly (number | null)[], place: number) =>
    line[place] !== null && ((line[place - 1] ?? null) !== null || (line[place + 1] ?? null) !== null);
  const short = findShortRuns(x, values);
  const isInRun = (place: number) => [place - 1, place, place + 1].every((each) => isFilled(flags[each] ?? 0));
  return values.map((value, place) => {
    const row = { x: x.positions[place] ?? 0, series: label };
    const alone = value !== null && (short[place] || (!joins(solid, place) && !joins(dashed, place)));
    if (role === 'previous')
      return {
        ...row,
        before: value,
        ...(value !== null &&
          (values[place - 1] ?? null) === null &&
          (values[place + 1] ?? null) === null && { alone: value }),
      };
    return {
      ...row,
      y: solid[place] ?? null,
      area: value,
      ...(partial.includes(true) && { dashed: dashed[place] ?? null }),
      ...(alone && { alone: value }),
      ...(value !== null && !isInRun(place) && toFilledMark(flags[place] ?? 0, value)),
    };
  });
}

/** A line shorter than this share of its axis is as easily missed as a single value. */
const shortLine = 0.01;

/** True at the values of lines that are too short to be seen. */
function findShortRuns({ positions }: ChartAxis, values: ChartSeries['values']): readonly boolean[] {
  const least = ((positions.at(-1) ?? 0) - (positions[0] ?? 0)) * shortLine;
  const short = values.map(() => false);
  for (let start = 0; start < values.length; start += 1) {
    if (values[start] === null) continue;
    let end = start;
    while (end + 1 < values.length && values[end + 1] !== null) end += 1;
    if ((positions[end] ?? 0) - (positions[start] ?? 0) < least) short.fill(true, start, end + 1);
    start = end;
  }
  return short;
}

function toStackRows(x: ChartAxis, panel: ChartPanel): readonly { readonly [field: string]: Json }[] {
  const stacks = stackValues(panel.series);
  return panel.series.flatMap(({ label, flags }, index) =>
    x.positions.map((position, place) => {
      const at = (each: number) => isPartial((x.flags[each] ?? 0) | (flags[each] ?? 0));
      const [start, end] = stacks[index]?.[place] ?? [null, null];
      const pale = at(place) || at(place - 1) || at(place + 1);
      return {
        x: position,
        series: label,
        y_start: at(place) ? null : start,
        y_end: at(place) ? null : end,
        ...(pale && { pale_start: start, pale_end: end }),
      };
    }),
  );
}
