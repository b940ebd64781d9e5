import type { ChartKind } from '../../ask/query/chart-wish.ts';

/** What a result is like, as far as it matters for how to draw it. */
export interface ResultShape {
  /** Steps that users take one after the other, all users together. */
  readonly funnel: boolean;
  /** There is an axis of time. */
  readonly time: boolean;
  /** Two axes that both have an order of their own: times and numbers, such as cohort and period. */
  readonly twoOrders: boolean;
  /** The places along the axis are numbers. */
  readonly numbers: boolean;
  /** Of numbers: how far the greatest is from the least; without end where some are not whole. */
  readonly spread: number;
  /** Columns that tell rows apart, the one along the axis included. */
  readonly dimensions: number;
  /** Different places along the axis. */
  readonly places: number;
  /** Different values of what is not along the axis; 1 where there is nothing else. */
  readonly series: number;
  readonly measures: number;
  /** Some measures share a scale, or are beside those of an earlier range. */
  readonly shared: boolean;
  /** The first measure is a sum of parts, none of which is below 0. */
  readonly parts: boolean;
}

interface Rule {
  readonly kind: ChartKind;
  readonly when: (shape: ResultShape) => boolean;
  readonly because: string;
}

/** Columns are easily counted up to a year of months or a dozen weeks. */
const fewPlaces = 12;
/** More columns of numbers than these are a line. */
const fewNumbers = 40;
/** More bars in groups than these are no longer compared, but searched. */
const fewBars = 40;

/** The first rule that holds decides. */
const rules: readonly Rule[] = [
  { kind: 'funnel', when: ({ funnel }) => funnel, because: 'steps are read from the top, and what matters is who is lost between them' },
  { kind: 'stat', when: ({ dimensions }) => dimensions === 0, because: 'one number is best said' },
  { kind: 'heatmap', when: ({ twoOrders, measures }) => twoOrders && measures === 1, because: 'where both axes have an order, what is to be seen are the shapes that run across both' },
  { kind: 'column', when: ({ time, places, series, shared, parts }) => time && parts && series === 1 && !shared && places <= fewPlaces, because: 'a few amounts are compared by their heights' },
  { kind: 'stacked', when: ({ time, places, series, shared, parts }) => time && parts && series > 1 && !shared && places <= fewPlaces, because: 'a few amounts are compared by their heights, and their parts add up to them' },
  { kind: 'area', when: ({ time, series, shared, parts }) => time && parts && series === 1 && !shared, because: 'an amount over time has a volume, and begins at 0' },
  { kind: 'line', when: ({ time }) => time, because: 'a line shows how something changes, and several lines can be told apart from a baseline that they share' },
  { kind: 'scatter', when: ({ dimensions, measures, places }) => dimensions === 1 && measures === 2 && places > fewPlaces, because: 'of many things with two measures each, how the two go together says more than each one’s size' },
  { kind: 'column', when: ({ numbers, dimensions, spread, shared }) => numbers && dimensions === 1 && !shared && spread <= fewNumbers, because: 'numbers have an order of their own, and how often each occurs is a distribution' },
  { kind: 'line', when: ({ numbers, dimensions }) => numbers && dimensions === 1, because: 'a distribution over many numbers is a curve' },
  { kind: 'bar', when: ({ dimensions, shared }) => dimensions === 1 && !shared, because: 'names need room, and sizes are compared when they stand in their order' },
  { kind: 'grouped', when: ({ dimensions, places, series }) => dimensions === 1 && places * series <= 2 * fewBars, because: 'measures of one thing belong beside one another' },
  { kind: 'stacked', when: ({ parts, shared }) => parts && !shared, because: 'parts add up to the whole bar' },
  { kind: 'grouped', when: ({ places, series }) => places * series <= fewBars, because: 'what does not add up is compared side by side' },
  { kind: 'heatmap', when: () => true, because: 'a table of colours holds what is too much for bars' },
];

/** How a result is best drawn. */
export function decideKind(shape: ResultShape): ChartKind {
  return rules.find(({ when }) => when(shape))?.kind ?? 'heatmap';
}
