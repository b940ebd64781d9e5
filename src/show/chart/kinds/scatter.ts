import { invariant } from '../../../ask/invariant.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import type { ChartInput } from '../build-panels.ts';
import type { Chart, ChartBody, DrawOptions, VegaLiteSpec } from '../chart.ts';
import { toDrawable } from '../column-roles.ts';
import { toValueLabels, toValueScale } from '../layers/vega-lite-axis.ts';
import { formatDrawn, toName, toShownText } from '../names.ts';
import { placeNames, pointNames } from '../place-names.ts';
import { type ChartType, lineSigns } from './chart-type.ts';

/** The most points that are drawn: more would be a cloud, and slow. */
const mostPoints = 5000;
const labelWidth = 80;

export const scatter: ChartType = {
  name: 'Scatter chart',
  marks: ['point', 'circle'],
  signs: lineSigns,
  fits: ({ measures, dimensions }) => measures > 1 && dimensions > 0,
  needs: 'two measures and a dimension',
  build,
  draw: (chart, options) => [draw(chart, options)],
  describe: ({ x, panels }) =>
    panels.map(
      ({ title, series }) => `${series[0]?.values.length ?? 0} points: ${x.title} to the right, ${title} upwards.`,
    ),
};

/** One point per row: the first measure to the right, the second upwards. */
function build({ result, roles: { measures, dimensions, time }, headings }: ChartInput): ChartBody {
  const [first, second] = measures;
  invariant(first && second, 'a scatter chart has two measures');
  const apart = time ? [time, ...dimensions] : dimensions;
  const across = result.values(first.column.key);
  const upwards = result.values(second.column.key);
  const points: { readonly x: number; readonly y: number; readonly label: string; readonly flags: number }[] = [];
  let lost = 0;
  let left = 0;
  for (let row = 0; row < result.rowCount; row += 1) {
    const x = toDrawable(across[row] ?? null);
    const y = toDrawable(upwards[row] ?? null);
    if (x === null || y === null) lost += 1;
    else if (points.length >= mostPoints) left += 1;
    else
      points.push({
        x,
        y,
        flags: result.marks.of(second.column.key, row),
        label: apart.map((column) => toName(result.values(column.key)[row] ?? null, column)).join(' · '),
      });
  }
  const titleOf = (key: string) => toShownText(headings.get(key) ?? key);
  const notes = [
    ...(lost > 0 ? [`${formatCount(lost, 'row has', 'rows have')} no value to draw.`] : []),
    ...(left > 0
      ? [`The first ${formatNumber(points.length)} of ${formatNumber(points.length + left)} points are drawn.`]
      : []),
    ...(measures.length > 2
      ? [
          `Not drawn for lack of space: ${measures
            .slice(2)
            .map(({ column }) => titleOf(column.key))
            .join(', ')}.`,
        ]
      : []),
  ];
  return {
    x: {
      title: titleOf(first.column.key),
      scale: 'number',
      ordered: true,
      format: first.column.format,
      labels: points.map(({ label }) => label),
      positions: points.map(({ x }) => x),
      ends: [],
      flags: points.map(() => 0),
    },
    panels: [
      {
        title: titleOf(second.column.key),
        format: second.column.format,
        additive: second.column.additive,
        series: [
          {
            label: titleOf(second.column.key),
            role: 'plain',
            values: points.map(({ y }) => y),
            flags: points.map(({ flags }) => flags),
          },
        ],
      },
    ],
    annotations: [],
    notes,
  };
}

/**
 * One point per row, with a tooltip. Few points have their names beside them if they fit. The title of the vertical
 * scale stands above it, to be read without turning the head.
 */
function draw({ x, panels }: Chart, { width, height, theme }: DrawOptions): VegaLiteSpec {
  const [panel] = panels;
  const [series] = panel?.series ?? [];
  invariant(panel && series, 'a scatter chart has a measure');
  const across = [{ label: '', role: 'plain' as const, values: x.positions, flags: [] }];
  const [acrossScale, upScale] = [
    toValueScale(across, { fromZero: false }),
    toValueScale([series], { fromZero: false }),
  ];
  const points = x.positions.map((position, place) => {
    const value = series.values[place] ?? null;
    const label = x.labels[place] ?? '';
    const told = `${label}: ${x.title} ${formatDrawn(position, x.format)}, ${panel.title} ${value === null ? '' : formatDrawn(value, panel.format)}`;
    return { x: position, y: value, label, told };
  });
  const sides = placeNames(points, {
    width,
    height,
    fromZero: { x: acrossScale['zero'] === true, y: upScale['zero'] === true },
  });
  const names = (side: 'left' | 'right'): readonly VegaLiteSpec[] => {
    const values = points.filter((_, place) => sides[place] === side);
    if (values.length === 0) return [];
    const mark = {
      type: 'text',
      align: side === 'right' ? 'left' : 'right',
      baseline: 'middle',
      dx: side === 'right' ? 6 : -6,
      fontSize: 11,
      color: theme.quiet,
    };
    return [
      {
        name: `${pointNames}_${side}`,
        data: { values: values.map(({ told: _, ...point }) => point) },
        mark,
        encoding: { text: { field: 'label', type: 'nominal' } },
      },
    ];
  };
  return {
    width,
    height,
    data: { values: points },
    encoding: {
      x: {
        field: 'x',
        type: 'quantitative',
        scale: acrossScale,
        axis: {
          ...toValueLabels({ format: x.format, series: across }),
          tickCount: Math.max(2, Math.floor(width / labelWidth)),
          labelFlush: false,
          title: x.title,
        },
      },
      y: {
        field: 'y',
        type: 'quantitative',
        scale: upScale,
        axis: {
          ...toValueLabels(panel),
          title: panel.title,
          titleAngle: 0,
          titleAlign: 'left',
          titleAnchor: 'end',
          titleBaseline: 'bottom',
          titleX: 0,
          titleY: -8,
        },
      },
    },
    layer: [
      {
        mark: { type: 'point', filled: true, size: 40, opacity: 0.65, color: theme.series[0] ?? theme.text },
        encoding: { tooltip: { field: 'told', type: 'nominal' } },
      },
      ...names('right'),
      ...names('left'),
    ],
  };
}
