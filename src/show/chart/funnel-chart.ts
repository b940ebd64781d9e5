import { invariant } from '../../ask/invariant.ts';
import { formatDuration } from '../../shape/format/format-duration.ts';
import { toPercent } from '../../shape/funnel-result.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result.ts';
import type { ColumnRoles } from './column-roles.ts';
import { toDrawable } from './drawable-number.ts';
import { toDistinct, toName, toShownText } from './vega-lite/names.ts';
import type { ChartBody } from './stat-chart.ts';

/** A bar a step, with who went on and who did not. */
export function toFunnelChart(result: Result<object>, { funnel }: ColumnRoles): ChartBody {
  invariant(funnel, 'the chart of a funnel has one');
  const { step, name, count, median } = funnel;
  const numbers = result.values(step.key);
  const counts = Array.from({ length: result.rowCount }, (_, row) => toDrawable(result.values(count.key)[row] ?? null));
  const labels = toDistinct(counts.map((_, row) => (name ? `${toName(numbers[row] ?? null, step)} ${toName(result.values(name.key)[row] ?? null, name)}` : `Step ${toName(numbers[row] ?? null, step)}`)));
  const asides = counts.map((_, row) => describePassage(counts, row, median ? toDrawable(result.values(median.key)[row] ?? null) : null));
  return {
    kind: 'funnel',
    x: { title: toShownText(step.shortTitle), scale: 'category', ordered: false, labels, positions: labels.map((_, place) => place), ends: [], flags: labels.map(() => 0), asides },
    panels: [{ title: toShownText(count.shortTitle), format: count.format, additive: false, series: [{ label: toShownText(count.shortTitle), role: 'plain', values: counts, flags: counts.map(() => 0) }] }],
    annotations: [], notes: [],
  };
}

/** Who went on to a step and who did not. */
function describePassage(counts: readonly (number | null)[], row: number, median: number | null): string {
  const count = counts[row] ?? null;
  const before = counts[row - 1] ?? null;
  if (row === 0 || count === null || before === null) return '';
  if (before === 0) return 'nobody was left to go on';
  const timed = median === null ? '' : `, median ${formatDuration(median * 1000)} since step 1`;
  return `${formatShare(toPercent(count, before))} went on, ${formatNumber(before - count)} dropped off${timed}`;
}

/** Neither all nor nobody unless it is so. */
export function formatShare(percent: number | null): string {
  if (percent === null) return '–';
  const shown = percent > 99.9 && percent < 100 ? 99.9 : percent > 0 && percent < 0.1 ? 0.1 : Math.round(percent * 10) / 10;
  return `${shown.toFixed(1)}%`;
}
