import { invariant } from '../../ask/invariant.ts';
import { plural } from '../../ask/text.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result/result.ts';
import { type ColumnRoles, toDrawable } from './column-roles.ts';
import { toName, toShownText } from './names.ts';
import type { ChartBody } from './stat-chart.ts';

/** More points than these are a cloud, and take long to draw. */
const mostPoints = 5000;

/** A point for each row: the first measure to the right, the second upwards. */
export function toScatterChart(result: Result<object>, { measures, dimensions, time }: ColumnRoles, headings: ReadonlyMap<string, string>): ChartBody {
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
    else points.push({ x, y, flags: result.marks.of(second.column.key, row), label: apart.map((column) => toName(result.values(column.key)[row] ?? null, column)).join(' · ') });
  }
  const titleOf = (key: string) => toShownText(headings.get(key) ?? key);
  const notes = [
    ...(lost > 0 ? [`${formatNumber(lost)} ${plural(lost, 'row has', 'rows have')} no value to draw.`] : []),
    ...(left > 0 ? [`The first ${formatNumber(points.length)} of ${formatNumber(points.length + left)} points are drawn.`] : []),
    ...(measures.length > 2 ? [`Not drawn, for want of room: ${measures.slice(2).map(({ column }) => titleOf(column.key)).join(', ')}.`] : []),
  ];
  return {
    kind: 'scatter',
    x: { title: titleOf(first.column.key), scale: 'number', ordered: true, format: first.column.format, labels: points.map(({ label }) => label), positions: points.map(({ x }) => x), ends: [], flags: points.map(() => 0) },
    panels: [{
      title: titleOf(second.column.key), format: second.column.format, additive: second.column.additive,
      series: [{ label: titleOf(second.column.key), role: 'plain', values: points.map(({ y }) => y), flags: points.map(({ flags }) => flags) }],
    }],
    annotations: [], notes,
  };
}
