import type { Result } from '../../../shape/result/result.ts';
import type { ToChartOptions } from '../../../show/to-chart.ts';
import { paint } from '../../../show/terminal/paint.ts';
import type { Room } from '../state/screen-rooms.ts';
import type { ChartReading } from '../state/chart-reading.ts';
import type { TerminalPort } from './terminal-port.ts';
import { withCommands } from './with-commands.ts';

interface DrawnResultChart {
  readonly lines: readonly string[];
  readonly words: string;
  readonly reading: ChartReading | undefined;
}

/**
 * Draws a result as a chart of the given size in cells, with its notes below; leaves out series whose labels are in
 * `hidden`. Throws `InvalidInputError` naming what cannot be drawn.
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
    withCommands(result),
    { ...options, hidden },
    { ...abilities, ...room },
  );
  return {
    lines: [...lines, ...below.map((line) => paint(line, 'quiet', look))],
    words,
    reading: readChart(result, chart, plots, hidden),
  };
}
