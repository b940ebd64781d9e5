import { invariant } from '../../ask/invariant.ts';
import { plural } from '../../ask/plural.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result.ts';
import { isPartial } from '../mark-legend.ts';
import { quantile, toBins, type Bins } from './bins.ts';
import type { ColumnRoles } from './column-roles.ts';
import { toDrawable } from './drawable-number.ts';
import type { ChartBody } from './stat-chart.ts';
import { toShownText } from './vega-lite/names.ts';

/** How many groups have how much of the measure: a bar for each bin of its values. A group is a row of the answer. */
export function toHistogramChart(result: Result<object>, { measures }: ColumnRoles, headings: ReadonlyMap<string, string>): ChartBody {
  const [measure] = measures;
  invariant(measure, 'a histogram has a measure');
  const { key, format } = measure.column;
  const title = toShownText(headings.get(key) ?? key);
  const values = result.values(key);
  const flags = result.marks.flags(key);
  const numbers: number[] = [];
  let missing = 0;
  let undrawable = 0;
  let partial = 0;
  for (let row = 0; row < result.rowCount; row += 1) {
    const value = values[row] ?? null;
    const number = toDrawable(value);
    if (value === null) missing += 1;
    else if (number === null) undrawable += 1;
    else numbers.push(number);
    if (number !== null && isPartial(flags?.[row] ?? 0)) partial += 1;
  }
  const bins = numbers.length === 0 ? { step: 1, decimals: 0, bounds: [0], counts: [] } : toBins(numbers);
  // A format may have too few places: 0.00 to 0.00.
  const shown = new Set(bins.bounds.map((bound) => formatNumber(bound, format))).size === bins.bounds.length ? format : undefined;
  const notes = [
    ...(numbers.length === 0 ? [] : [describeSpread(numbers, shown)]),
    ...(missing > 0 ? [`${formatNumber(missing)} ${plural(missing, 'group has', 'groups have')} no ${title} and ${plural(missing, 'is', 'are')} in no bar.`] : []),
    ...(undrawable > 0 ? [`${formatNumber(undrawable)} ${plural(undrawable, 'group is', 'groups are')} in no bar, because ${plural(undrawable, 'its value is', 'their values are')} no finite ${plural(undrawable, 'number')}.`] : []),
    ...(partial > 0 ? [`${formatNumber(partial)} ${plural(partial, 'group is a time that is', 'groups are times that are')} cut by the range or the present.`] : []),
  ];
  // Bins of one whole number each bear it; the bounds of wider ones stand below their edges.
  const isSingle = bins.step === 1 && numbers.every(Number.isInteger);
  const counts = bins.counts;
  return {
    kind: 'histogram',
    x: {
      title: isSingle || counts.length === 0 ? title : `${title}, in bins of ${formatNumber(bins.step, shown)}`,
      scale: 'number', ordered: true, format: shown, labels: toBinLabels(bins, { isSingle, isWhole: numbers.every(Number.isInteger), format: shown }),
      positions: bins.bounds.slice(0, -1), ends: isSingle ? [] : bins.bounds.slice(1), flags: counts.map(() => 0),
    },
    panels: [{ title: 'Groups', format: undefined, additive: true, series: [{ label: 'Groups', role: 'plain', values: counts, flags: counts.map(() => 0) }] }],
    annotations: [], notes,
  };
}

/** `10–19` of whole numbers; of others `0.5–1`, without the upper bound. */
function toBinLabels({ bounds, decimals, counts }: Bins, { isSingle, isWhole, format }: { readonly isSingle: boolean; readonly isWhole: boolean; readonly format: string | undefined }): readonly string[] {
  const write = (value: number) => formatNumber(decimals > 0 && decimals <= 20 ? value.toFixed(decimals) : value, format);
  return counts.map((_, index) => {
    const [from = 0, to = 0] = [bounds[index], bounds[index + 1]];
    if (isSingle) return write(from);
    return `${write(from)}–${write(isWhole ? to - 1 : to)}`;
  });
}

function describeSpread(numbers: readonly number[], format: string | undefined): string {
  const sorted = Float64Array.from(numbers).sort();
  const write = (value: number) => formatNumber(value, format);
  if (sorted.length === 1) return `There is one group, with ${write(sorted[0] ?? 0)}.`;
  return `Each bar says how many of the ${formatNumber(sorted.length)} groups lie in its bin. They go from ${write(sorted[0] ?? 0)} to ${write(sorted.at(-1) ?? 0)}, half of them up to ${write(quantile(sorted, 0.5))}.`;
}
