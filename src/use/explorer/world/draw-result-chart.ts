import type { Result } from '../../../shape/result/result.ts';
import type { Chart } from '../../../show/chart/chart.ts';
import type { ToChartOptions } from '../../../show/to-chart.ts';
import { paint } from '../../../show/terminal/paint.ts';
import type { Room } from '../state/screen-rooms.ts';
import type { ChartReading } from '../state/chart-reading.ts';
import type { TerminalPort } from './terminal-port.ts';

export interface DrawnResult {
  readonly lines: readonly string[];
  readonly words: string;
  readonly reading: ChartReading | undefined;
}

/** More lines than these in one plot cross too often to be followed. */
const mostLines = 5;

/**
 * A result as a chart of so many cells, its notes below it; series whose labels are `hidden` are left out. Many series
 * over time are the rows of a heat map where there is room for one, unless another chart is asked for. Throws
 * `InvalidInputError` naming what cannot be drawn.
 */
export async function drawResultChart(
  result: Result,
  options: ToChartOptions & { readonly hidden?: readonly string[] | undefined },
  room: Room,
  terminal: Pick<TerminalPort, 'look' | 'chart'>,
): Promise<DrawnResult> {
  const { toChart } = await import('../../../show/to-chart.ts');
  const chart = toChart(result, options);
  const hidden = new Set(options.hidden);
  if (isCrowded(chart) && options.preference === undefined) {
    const heatmap = toChart(result, { ...options, preference: 'heatmap' });
    const drawn = await draw(result, heatmap, hidden, room, terminal).catch(() => undefined);
    if (drawn) return drawn;
  }
  return draw(result, chart, hidden, room, terminal);
}

function isCrowded({ kind, x, panels: [panel, ...others] }: Chart): boolean {
  return kind === 'line' && x.scale === 'time' && others.length === 0 && (panel?.series.length ?? 0) > mostLines;
}

async function draw(
  result: Result,
  chart: Chart,
  hidden: ReadonlySet<string>,
  { width, height }: Room,
  { look, chart: abilities }: Pick<TerminalPort, 'look' | 'chart'>,
): Promise<DrawnResult> {
  const [{ toVegaLite }, { describeChart }, { layOutChart }, { toFooterLines }, { toBandLabels }, { readChart }] =
    await Promise.all([
      import('../../../show/chart/vega-lite/to-vega-lite.ts'),
      import('../../../show/chart/vega-lite/describe-chart.ts'),
      import('../../../show/terminal/chart/draw-chart.ts'),
      import('../../../show/write-chart.ts'),
      import('../../../show/chart/layers/vega-lite-axis.ts'),
      import('./read-chart.ts'),
    ]);
  const below = toFooterLines(chart, width).map((line) => paint(line, 'quiet', look));
  // Many notes take at most half of the room from the chart; the rest of them follows below.
  const room = Math.max(Math.ceil(height / 2), height - below.length);
  const theme = abilities.dark ? 'dark' : 'light';
  const bands = toBandLabels(chart.x);
  const { lines, plots } = await layOutChart(
    toVegaLite(without(chart, hidden), { theme, withNotes: false }),
    { ...abilities, width, height: room },
    chart.x.positions.map((position, place) => ({ position, band: bands[place] ?? '' })),
  );
  return {
    lines: [...lines, ...below],
    words: describeChart(chart),
    reading: readChart(result, chart, plots, hidden),
  };
}

/** The others keep their colours, and their names in the legend. */
function without(chart: Chart, hidden: ReadonlySet<string>): Chart {
  if (hidden.size === 0) return chart;
  return {
    ...chart,
    panels: chart.panels.map((panel) => ({
      ...panel,
      series: panel.series.map((each) =>
        hidden.has(each.label) ? { ...each, values: each.values.map(() => null) } : each,
      ),
    })),
  };
}
