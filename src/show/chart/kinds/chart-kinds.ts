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
}

/** Columns are easily counted up to a year of months or a dozen weeks. */
const fewPlaces = 12;
/** With more numbers than this, a line replaces columns. */
const fewNumbers = 40;
/** The most grouped bars that readers can compare. */
const fewBars = 40;

/** The first rule that applies decides. */
const rules: readonly Rule[] = [
  // A funnel shows how many are lost between its steps.
  { kind: 'funnel', when: ({ funnel }) => funnel },
  // Bands show how many go from each step to the next.
  { kind: 'sankey', when: ({ paths }) => paths },
  // A single number needs no axes.
  { kind: 'stat', when: ({ dimensions }) => dimensions === 0 },
  // Both axes have an order, and a heat map shows patterns across both.
  { kind: 'heatmap', when: ({ twoOrders, measures }) => twoOrders && measures === 1 },
  // Columns compare a few amounts by height.
  {
    kind: 'column',
    when: ({ time, places, series, shared, parts }) => time && parts && series === 1 && !shared && places <= fewPlaces,
  },
  // Columns compare a few amounts by height, and parts add up to them.
  {
    kind: 'stacked',
    when: ({ time, places, series, shared, parts }) => time && parts && series > 1 && !shared && places <= fewPlaces,
  },
  // An area shows amounts over time, starting at 0.
  { kind: 'area', when: ({ time, series, shared, parts }) => time && parts && series === 1 && !shared },
  // What is gained stands above what is lost, and how the two compare is what is to be seen.
  {
    kind: 'stacked',
    when: ({ time, places, series, shared, opposed }) =>
      time && opposed && series > 1 && !shared && places <= fewNumbers,
  },
  // Lines show change over time, and several lines stay readable on a shared baseline.
  { kind: 'line', when: ({ time }) => time },
  // Points show how two measures relate across many groups.
  {
    kind: 'scatter',
    when: ({ dimensions, measures, places }) => dimensions === 1 && measures === 2 && places > fewPlaces,
  },
  // The dimension is numeric, and counts by number are a distribution.
  {
    kind: 'column',
    when: ({ numbers, dimensions, spread, shared }) => numbers && dimensions === 1 && !shared && spread <= fewNumbers,
  },
  // A line shows a distribution over many numbers.
  { kind: 'line', when: ({ numbers, dimensions }) => numbers && dimensions === 1 },
  // Bars leave room for names, and sorted bars compare sizes.
  { kind: 'bar', when: ({ dimensions, shared }) => dimensions === 1 && !shared },
  // Grouped bars show the measures of a group side by side.
  { kind: 'grouped', when: ({ dimensions, places, series }) => dimensions === 1 && places * series <= 2 * fewBars },
  // Stacked parts add up to the whole bar.
  { kind: 'stacked', when: ({ parts, shared }) => parts && !shared },
  // Values that do not add up are compared side by side.
  { kind: 'grouped', when: ({ places, series }) => places * series <= fewBars },
];

/** Chooses the best kind for a result: if no rule applies, a heat map, which holds more groups than bars can. */
function decideKind(shape: ResultShape): ChartKind {
  return rules.find(({ when }) => when(shape))?.kind ?? 'heatmap';
}

/**
 * The requested kind if it fits, else the chosen one. Throws `InvalidInputError` if the requested kind does not fit.
 */
export function fitKind(preference: ChartKind | undefined, shape: ResultShape): ChartKind {
  if (preference === undefined) return decideKind(shape);
  const { fits, needs, drawnAs } = chartTypes[preference];
  if (!fits(shape)) {
    const message = `This result cannot be drawn as ${preference}, which requires ${needs}.`;
    const hint = `Omit the kind of chart: sluice would choose ${decideKind(shape)}.`;
    throw new InvalidInputError(message, [errorIssue('unfit-chart', message, { path: ['chart'], hint })], { hint });
  }
  return drawnAs?.(shape) ?? preference;
}
