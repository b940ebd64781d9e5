import type { ChartKind } from '../../../ask/chart/chart-preference.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import type { ResultShape } from '../result-shape.ts';
import { area } from './area.ts';
import { bar } from './bar.ts';
import type { ChartType } from './chart-type.ts';
import { column } from './column.ts';
import { funnel } from './funnel.ts';
import { grouped } from './grouped.ts';
import { heatmap } from './heatmap.ts';
import { histogram } from './histogram.ts';
import { line } from './line.ts';
import { sankey } from './sankey.ts';
import { scatter } from './scatter.ts';
import { stacked } from './stacked.ts';
import { stat } from './stat.ts';

/** Every kind of chart. */
export const chartTypes: Readonly<Record<ChartKind, ChartType>> = {
  line,
  area,
  column,
  bar,
  grouped,
  stacked,
  stat,
  funnel,
  heatmap,
  scatter,
  histogram,
  sankey,
};

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
  {
    kind: 'funnel',
    when: ({ funnel }) => funnel,
    because: 'steps are read from the top, and what matters is who is lost between them',
  },
  {
    kind: 'sankey',
    when: ({ paths }) => paths,
    because: 'steps lead to steps, and bands show how many go which way',
  },
  { kind: 'stat', when: ({ dimensions }) => dimensions === 0, because: 'one number is best said' },
  {
    kind: 'heatmap',
    when: ({ twoOrders, measures }) => twoOrders && measures === 1,
    because: 'where both axes have an order, what is to be seen are the shapes that run across both',
  },
  {
    kind: 'column',
    when: ({ time, places, series, shared, parts }) => time && parts && series === 1 && !shared && places <= fewPlaces,
    because: 'a few amounts are compared by their heights',
  },
  {
    kind: 'stacked',
    when: ({ time, places, series, shared, parts }) => time && parts && series > 1 && !shared && places <= fewPlaces,
    because: 'a few amounts are compared by their heights, and their parts add up to them',
  },
  {
    kind: 'area',
    when: ({ time, series, shared, parts }) => time && parts && series === 1 && !shared,
    because: 'an amount over time has a volume, and begins at 0',
  },
  {
    kind: 'line',
    when: ({ time }) => time,
    because: 'a line shows how something changes, and several lines can be told apart from a baseline that they share',
  },
  {
    kind: 'scatter',
    when: ({ dimensions, measures, places }) => dimensions === 1 && measures === 2 && places > fewPlaces,
    because: 'of many things with two measures each, how the two go together says more than each one’s size',
  },
  {
    kind: 'column',
    when: ({ numbers, dimensions, spread, shared }) => numbers && dimensions === 1 && !shared && spread <= fewNumbers,
    because: 'numbers have an order of their own, and how often each occurs is a distribution',
  },
  {
    kind: 'line',
    when: ({ numbers, dimensions }) => numbers && dimensions === 1,
    because: 'a distribution over many numbers is a curve',
  },
  {
    kind: 'bar',
    when: ({ dimensions, shared }) => dimensions === 1 && !shared,
    because: 'names need room, and sizes are compared when they stand in their order',
  },
  {
    kind: 'grouped',
    when: ({ dimensions, places, series }) => dimensions === 1 && places * series <= 2 * fewBars,
    because: 'measures of one thing belong beside one another',
  },
  { kind: 'stacked', when: ({ parts, shared }) => parts && !shared, because: 'parts add up to the whole bar' },
  {
    kind: 'grouped',
    when: ({ places, series }) => places * series <= fewBars,
    because: 'what does not add up is compared side by side',
  },
  { kind: 'heatmap', when: () => true, because: 'a table of colours holds what is too much for bars' },
];

/** How a result is best drawn. */
function decideKind(shape: ResultShape): ChartKind {
  return rules.find(({ when }) => when(shape))?.kind ?? 'heatmap';
}

/**
 * The kind to draw: what is asked for if it fits, else what is decided. Throws `InvalidInputError` for a preference
 * that does not fit.
 */
export function fitKind(preference: ChartKind | undefined, shape: ResultShape): ChartKind {
  if (preference === undefined) return decideKind(shape);
  const { fits, needs, drawnAs } = chartTypes[preference];
  if (!fits(shape)) {
    const message = `This answer cannot be drawn as ${preference}: that takes ${needs}.`;
    const hint = `Leave the choice to sluice: it would be ${decideKind(shape)}.`;
    throw new InvalidInputError(message, [errorIssue('unfit-chart', message, { path: ['chart'], hint })], { hint });
  }
  return drawnAs?.(shape) ?? preference;
}
