import { InvalidInputError } from '../ask/sluice-error.ts';
import type { Result } from '../shape/result/result.ts';
import type { Chart } from './chart/chart.ts';
import { toBandLabels } from './chart/layers/vega-lite-axis.ts';
import { describeChart } from './chart/vega-lite/describe-chart.ts';
import { toFooter, toVegaLite } from './chart/vega-lite/to-vega-lite.ts';
import type { DrawChartOptions } from './terminal/chart/draw-chart-options.ts';
import { type DrawnPlot, layOutChart } from './terminal/chart/draw-chart.ts';
import { isCrowded, layOutMultiples, scaleNote } from './terminal/chart/draw-multiples.ts';
import { toChart, type ToChartOptions } from './to-chart.ts';
import { wrapWords } from './labels/wrap-words.ts';

interface DrawResultOptions extends ToChartOptions {
  /** Labels of series to omit; the others keep their colours. */
  readonly hidden?: ReadonlySet<string> | undefined;
}

/** A result drawn with characters. */
interface DrawnResult {
  /** What was drawn. */
  readonly chart: Chart;
  readonly lines: readonly string[];
  /** Notes about the answer, below the chart. */
  readonly below: readonly string[];
  readonly plots: readonly DrawnPlot[];
  /** The chart in sentences. */
  readonly words: string;
}

/**
 * Draws a result as a chart of character cells. More than five series over time get a plot each, all on one scale, or
 * become the rows of a heat map if the plots do not fit, and a chart that does not fit becomes a line or bars; unless
 * another chart is requested. `room.height` limits the
 * lines of the chart and of the notes below it, which take at most half. Throws `InvalidInputError` naming what cannot
 * be drawn.
 */
export async function drawResult(
  result: Result<object>,
  options: DrawResultOptions,
  room: DrawChartOptions,
): Promise<DrawnResult> {
  const chart = toChart(result, options);
  if (options.preference === undefined && isCrowded(chart)) {
    const lines = toChart(result, { ...options, preference: 'line' });
    const drawn =
      (await draw({ ...lines, notes: [scaleNote, ...lines.notes] }, options, room, true)) ??
      (await draw(toChart(result, { ...options, preference: 'heatmap' }), options, room).catch(() => undefined));
    if (drawn) return drawn;
  }
  return draw(chart, options, room).catch(async (error: unknown) => {
    if (options.preference !== undefined || !isUndrawable(error)) throw error;
    for (const preference of simpler) {
      try {
        return await draw(toChart(result, { ...options, preference }), options, room);
      } catch {
        // The first reason is about the chart that fits the answer best.
      }
    }
    throw error;
  });
}

/** What a terminal draws instead of a chart that does not fit into its width. */
const simpler = ['line', 'bar'] as const;

function isUndrawable(error: unknown): boolean {
  return error instanceof InvalidInputError && error.code === 'chart-undrawable';
}

async function draw(chart: Chart, options: DrawResultOptions, room: DrawChartOptions): Promise<DrawnResult>;
async function draw(
  chart: Chart,
  options: DrawResultOptions,
  room: DrawChartOptions,
  apart: boolean,
): Promise<DrawnResult | undefined>;
async function draw(
  chart: Chart,
  { hidden = new Set() }: DrawResultOptions,
  room: DrawChartOptions,
  apart = false,
): Promise<DrawnResult | undefined> {
  const below = toFooterLines(chart, room.width);
  const { height } = room;
  const drawing: DrawChartOptions = {
    ...room,
    // Notes take at most half of the height from the chart. The remaining ones follow below.
    height: height === undefined ? undefined : Math.max(Math.ceil(height / 2), height - below.length),
  };
  const theme = room.dark === false ? 'light' : 'dark';
  const bands = toBandLabels(chart.x);
  const places = chart.x.positions.map((position, place) => ({ position, band: bands[place] ?? '' }));
  const shown = without(chart, hidden);
  const laidOut = apart
    ? await layOutMultiples(shown, theme, drawing, places)
    : await layOutChart(toVegaLite(shown, { theme, withNotes: false, explainsShades: true }), drawing, places);
  return laidOut && { chart, ...laidOut, below, words: describeChart(chart) };
}

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

/** Notes and annotations as wrapped lines below a chart in a terminal. */
export function toFooterLines(chart: Pick<Chart, 'annotations' | 'notes'>, width: number): readonly string[] {
  return toFooter(chart).flatMap((line) => wrapWords(line, width, { longWords: 'break' }));
}
