import type { Result } from '../../../shape/result/result.ts';
import type { ToChartOptions } from '../../../show/to-chart.ts';
import { paint } from '../../../show/terminal/paint.ts';
import type { Room } from '../state/screen-rooms.ts';
import type { ChartReading } from '../state/chart-reading.ts';
import type { TerminalPort } from './terminal-port.ts';

export interface DrawnResultChart {
  readonly lines: readonly string[];
  readonly words: string;
  readonly reading: ChartReading | undefined;
}

/**
 * A result as a chart of so many cells, its notes below it; series whose labels are `hidden` are left out. Throws
 * `InvalidInputError` naming what cannot be drawn.
 */
export async function drawResultChart(
  result: Result,
  { hidden: labels, ...options }: ToChartOptions & { readonly hidden?: readonly string[] | undefined },
  room: Room,
  { look, chart: abilities }: Pick<TerminalPort, 'look' | 'chart'>,
): Promise<DrawnResultChart> {
  const [{ drawResult }, { readChart }] = await Promise.all([
    import('../../../show/draw-result.ts'),
    import('./read-chart.ts'),
  ]);
  const hidden = new Set(labels);
  const { chart, lines, below, plots, words } = await drawResult(
    result,
    { ...options, hidden },
    { ...abilities, ...room },
  );
  return {
    lines: [...lines, ...below.map((line) => paint(line, 'quiet', look))],
    words,
    reading: readChart(result, chart, plots, hidden),
  };
}
