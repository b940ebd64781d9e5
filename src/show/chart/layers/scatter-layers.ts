import { invariant } from '../../../ask/invariant.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import type { Chart } from '../chart.ts';
import type { DrawOptions } from '../draw-options.ts';
import { placeNames } from '../place-names.ts';
import type { VegaLiteSpec } from '../vega-lite-spec.ts';
import { toValueLabels, toValueScale } from './vega-lite-axis.ts';

/** What the layers are called that hold names of points, which are left out where there is no room for them. */
export const pointNames = 'point_names';

const labelWidth = 80;

/**
 * A point for each row, which says what it is when it is pointed at; few have their names beside them, where there is room. The title of
 * the upward scale stands above it, where it can be read without turning one's head.
 */
export function drawPoints({ x, panels }: Pick<Chart, 'x' | 'panels'>, { width, height, theme }: DrawOptions): VegaLiteSpec {
  const [panel] = panels;
  const [series] = panel?.series ?? [];
  invariant(panel && series, 'a scatter chart has a measure');
  const across = [{ label: '', role: 'plain' as const, values: x.positions, flags: [] }];
  const [acrossScale, upScale] = [toValueScale(across, { fromZero: false }), toValueScale([series], { fromZero: false })];
  const points = x.positions.map((position, place) => {
    const value = series.values[place] ?? null;
    const label = x.labels[place] ?? '';
    const told = `${label}: ${x.title} ${formatNumber(position, x.format)}, ${panel.title} ${value === null ? '' : formatNumber(value, panel.format)}`;
    return { x: position, y: value, label, told };
  });
  const sides = placeNames(points, { width, height, fromZero: { x: acrossScale['zero'] === true, y: upScale['zero'] === true } });
  const names = (side: 'left' | 'right'): readonly VegaLiteSpec[] => {
    const values = points.filter((_, place) => sides[place] === side);
    if (values.length === 0) return [];
    const mark = { type: 'text', align: side === 'right' ? 'left' : 'right', baseline: 'middle', dx: side === 'right' ? 6 : -6, fontSize: 11, color: theme.quiet };
    return [{ name: `${pointNames}_${side}`, data: { values: values.map(({ told: _, ...point }) => point) }, mark, encoding: { text: { field: 'label', type: 'nominal' } } }];
  };
  return {
    width, height,
    data: { values: points },
    encoding: {
      x: { field: 'x', type: 'quantitative', scale: acrossScale, axis: { ...toValueLabels({ format: x.format, series: across }), tickCount: Math.max(2, Math.floor(width / labelWidth)), labelFlush: false, title: x.title } },
      y: { field: 'y', type: 'quantitative', scale: upScale, axis: { ...toValueLabels(panel), title: null } },
    },
    layer: [
      { mark: { type: 'point', filled: true, size: 40, opacity: 0.65, color: theme.series[0] ?? theme.text }, encoding: { tooltip: { field: 'told', type: 'nominal' } } },
      ...names('right'), ...names('left'),
    ],
  };
}
