import { errorIssue } from '../../ask/outcome.ts';
import type { ChartKind } from '../../ask/query/chart-wish.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { decideKind, type ResultShape } from './decide-kind.ts';

/** What each kind needs, and what to say where it is not there. */
const needs: Readonly<Record<ChartKind, readonly [fits: (shape: ResultShape) => boolean, what: string]>> = {
  line: [({ time, numbers }) => time || numbers, 'a time or a number to run along'],
  area: [({ time, numbers, series, parts, shared }) => (time || numbers) && !shared && (series === 1 || parts), 'a time or a number to run along, and amounts that add up'],
  column: [({ dimensions }) => dimensions > 0, 'something to compare'],
  bar: [({ dimensions }) => dimensions > 0, 'something to compare'],
  grouped: [({ dimensions }) => dimensions > 0, 'something to compare'],
  stacked: [({ dimensions, parts, shared }) => dimensions > 0 && parts && !shared, 'a measure that adds up and is never below 0'],
  stat: [({ dimensions, time }) => dimensions === 0 || (time && dimensions === 1), 'one row, or a time'],
  funnel: [({ funnel }) => funnel, 'the figures of a funnel'],
  heatmap: [({ dimensions }) => dimensions > 1, 'two dimensions'],
  scatter: [({ measures, dimensions }) => measures > 1 && dimensions > 0, 'two measures, and something that has them'],
  histogram: [({ measures, dimensions, shared }) => measures === 1 && dimensions > 0 && !shared, 'one measure of many groups, over one range'],
};

/** The kind to draw: what is wished for where it fits, else what is decided. Throws `InvalidInputError` for a wish that does not fit. */
export function fitKind(wish: ChartKind | undefined, shape: ResultShape): ChartKind {
  if (wish === undefined) return decideKind(shape);
  const [fits, what] = needs[wish];
  if (!fits(shape)) {
    const message = `This answer cannot be drawn as ${wish}: that takes ${what}.`;
    const hint = `Leave the choice to sluice: it would be ${decideKind(shape)}.`;
    throw new InvalidInputError(message, [errorIssue('unfit-chart', message, { path: ['chart'], hint })], { hint });
  }
  if (wish !== 'bar' && wish !== 'column') return wish;
  // Both mean the same: names need room beside their bars, times and numbers run from left to right.
  const { time, numbers, series, parts, shared } = shape;
  if (series > 1 || shared) return parts && !shared ? 'stacked' : 'grouped';
  return time || numbers ? 'column' : 'bar';
}
