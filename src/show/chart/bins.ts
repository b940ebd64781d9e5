/**
 * Values in bins of equal width, from the bin of the least value to that of the greatest. Bins in between may be empty.
 */
export interface Bins {
  readonly step: number;
  /** Decimal places of the bounds. */
  readonly decimals: number;
  /** One more than there are bins. Each bin starts at its bound and ends before the next one. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** The most bins that can be told apart. */
const mostBins = 40;
/** A bin wider than this share of the span holds nearly all numbers. */
const mostInBin = 0.75;
/** Whole numbers that span less than this get one bin each. */
const fewNumbers = 20;

/**
 * Counts numbers (at least one) in bins. The width follows Freedman and Diaconis: twice the interquartile range divided
 * by the cube root of the count (*On the histogram as a density estimator: L2 theory*, 1981). If the interquartile
 * range is 0, or if nearly all numbers would share a bin, it follows Sturges' rule. The width is rounded to 1, 2 or 5
 * times a power of ten, and the bounds are its multiples. Bins of whole numbers have whole bounds; few whole numbers
 * get one bin each.
 */
export function toBins(values: readonly number[]): Bins {
  const sorted = Float64Array.from(values).sort();
  const least = sorted[0] ?? 0;
  const most = sorted.at(-1) ?? 0;
  const size = Math.max(Math.abs(least), Math.abs(most));
  const span = most - least;
  const isWhole = sorted.every(Number.isInteger);
  const advised =
    isWhole && span < fewNumbers ? 1 : span === 0 ? size / 10 : Number.isFinite(span) ? adviseWidth(sorted, span) : 0;
  // The first and the last bin may be partial. Numbers have at most fifteen digits.
  const narrowest = Math.max(most / (mostBins - 2) - least / (mostBins - 2), size * 1e-12, 1e-200, isWhole ? 1 : 0);
  const { digit, power } = toNice(Math.min(advised, 1e307), narrowest);
  // Reading decimal text gives the number nearest to each bound.
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
  return {
    step,
    decimals: Math.max(0, -power),
    bounds: bounds.map((each) => Math.min(Number.MAX_VALUE, each)),
    counts,
  };
}

function adviseWidth(sorted: Float64Array, span: number): number {
  const middle = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  const sturges = span / (Math.log2(sorted.length) + 1);
  const advised = (2 * middle) / Math.cbrt(sorted.length);
  return middle > 0 && advised < span * mostInBin ? advised : sturges;
}

/** A quantile of sorted values, interpolated between neighbours. `part` is from 0 to 1. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  const beyond = at - Math.floor(at);
  return low === high ? low : low * (1 - beyond) + high * beyond;
}

/** Digit, added power, and the limit below which it is nearest (the geometric mean with the next one). */
const nice = [
  [1, 0, Math.SQRT2],
  [2, 0, Math.sqrt(10)],
  [5, 0, Math.sqrt(50)],
  [1, 1, Math.sqrt(200)],
  [2, 1, Infinity],
] as const;

/** The nearest of 1, 2 and 5 times a power of ten that is not below `least`. */
function toNice(wanted: number, least: number): { readonly digit: number; readonly power: number } {
  const power = Math.floor(Math.log10(Math.max(wanted, least)));
  const scale = Number(`1e${power}`);
  const [digit, more] =
    nice.find(
      ([one, further, until]) => wanted < until * scale && Number(`${one}e${power + further}`) >= least * (1 - 1e-9),
    ) ?? nice[4];
  return { digit, power: power + more };
}
