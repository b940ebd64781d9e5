import type { Result } from '../../../shape/result/result.ts';
import type { ToChartOptions } from '../../../show/to-chart.ts';
import { paint } from '../../../show/terminal/paint.ts';
import type { TerminalPort } from './terminal-port.ts';

/** A result as a chart of so many cells, its notes below it. Throws `InvalidInputError` naming what cannot be drawn. */
export async function drawResultChart(
  result: Result,
  options: ToChartOptions,
  { width, height }: { readonly width: number; readonly height: number },
  { look, chart: abilities }: Pick<TerminalPort, 'look' | 'chart'>,
): Promise<{ readonly lines: readonly string[]; readonly words: string }> {
  const [{ toChart }, { toVegaLite }, { describeChart }, { drawChart }, { toFooterLines }] = await Promise.all([
    import('../../../show/to-chart.ts'),
    import('../../../show/chart/vega-lite/to-vega-lite.ts'),
    import('../../../show/chart/vega-lite/describe-chart.ts'),
    import('../../../show/terminal/chart/draw-chart.ts'),
    import('../../../show/write-chart.ts'),
  ]);
  const chart = toChart(result, options);
  const below = toFooterLines(chart, width).map((line) => paint(line, 'quiet', look));
  // Many notes take at most half of the room from the chart; the rest of them follows below.
  const room = Math.max(Math.ceil(height / 2), height - below.length);
  const theme = abilities.dark ? 'dark' : 'light';
  const drawn = { ...abilities, width, height: room };
  const lines = await drawChart(toVegaLite(chart, { theme, withNotes: false }), drawn);
  return { lines: [...lines, ...below], words: describeChart(chart) };
}
