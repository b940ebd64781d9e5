import { invariant } from '../../ask/invariant.ts';
import { plural } from '../../ask/text.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result/result.ts';
import { isPartial } from '../labels/mark-legend.ts';
import { type ColumnRoles, toDrawable } from './column-roles.ts';
import { toShownText } from './names.ts';
import type { ChartBody } from './stat-chart.ts';

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

/** Values in bins of one width, from the one with the least value to the one with the greatest; those between may be empty. */
interface Bins {
  readonly step: number;
  /** Decimal places of the bounds. */
  readonly decimals: number;
  /** One more than bins: each begins at its bound, and ends before the next one. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** More bins than these are no longer seen one by one. */
const mostBins = 40;
/** So few whole numbers have a bin each. */
const fewNumbers = 20;

/**
 * Counts numbers, at least one, in bins. They are as wide as Freedman and Diaconis advise, twice the interquartile range divided by the
 * cube root of the count (*On the histogram as a density estimator: L2 theory*, 1981), rounded to 1, 2 or 5 of a power of ten, whose
 * multiples the bounds are; where the middle half is one value, as wide as Sturges' rule makes them. Bins of whole numbers hold whole
 * numbers, of few ones one each.
 */
export function toBins(values: readonly number[]): Bins {
  const sorted = Float64Array.from(values).sort();
  const least = sorted[0] ?? 0;
  const most = sorted.at(-1) ?? 0;
  const size = Math.max(Math.abs(least), Math.abs(most));
  const span = most - least;
  const isWhole = sorted.every(Number.isInteger);
  const advised = isWhole && span < fewNumbers ? 1 : span === 0 ? size / 10 : Number.isFinite(span) ? adviseWidth(sorted, span) : 0;
  // Two bins are cut at the ends; and numbers have no more than fifteen digits.
  const narrowest = Math.max(most / (mostBins - 2) - least / (mostBins - 2), size * 1e-12, 1e-200, isWhole ? 1 : 0);
  const { digit, power } = toNice(Math.min(advised, 1e307), narrowest);
  // Read as decimal text, each bound is the number nearest to it.
  const bound = (index: number) => Math.max(-Number.MAX_VALUE, Number(`${index * digit}e${power}`));
  const step = bound(1);
  let first = Math.floor(least / step);
  while (bound(first) > least) first -= 1;
  while (bound(first + 1) <= least) first += 1;
  const bounds = [bound(first), bound(first + 1)];
  const counts = [0];
  for (const value of sorted) {
    while (value >= (bounds.at(-1) ?? Infinity)) {
      bounds.push(bound(first + bounds.length));
      counts.push(0);
    }
    counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
  }
  return { step, decimals: Math.max(0, -power), bounds: bounds.map((each) => Math.min(Number.MAX_VALUE, each)), counts };
}

function adviseWidth(sorted: Float64Array, span: number): number {
  const middle = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  return middle > 0 ? (2 * middle) / Math.cbrt(sorted.length) : span / (Math.log2(sorted.length) + 1);
}

/** The value below which a part of them lies, between two neighbours in proportion. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  const beyond = at - Math.floor(at);
  return low === high ? low : low * (1 - beyond) + high * beyond;
}

/** Where one of 1, 2, 5, 10 and 20 is as near as the next. */
const nice = [[1, 0, Math.SQRT2], [2, 0, Math.sqrt(10)], [5, 0, Math.sqrt(50)], [1, 1, Math.sqrt(200)], [2, 1, Infinity]] as const;

/** The one of 1, 2, 5, 10, 20 and so on, above and below the point, that is nearest, but none that is less than the least. */
function toNice(wanted: number, least: number): { readonly digit: number; readonly power: number } {
  const power = Math.floor(Math.log10(Math.max(wanted, least)));
  const scale = Number(`1e${power}`);
  const [digit, more] = nice.find(([one, further, until]) => wanted < until * scale && Number(`${one}e${power + further}`) >= least * (1 - 1e-9)) ?? nice[4];
  return { digit, power: power + more };
}
