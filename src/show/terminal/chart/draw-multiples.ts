import { truncateApart } from '../../labels/cell-width.ts';
import { type Chart, type ChartPanel, type ChartSeries, isSpec, type VegaLiteSpec } from '../../chart/chart.ts';
import type { ThemeName } from '../../chart/palette.ts';
import { toVegaLite } from '../../chart/vega-lite/to-vega-lite.ts';
import { cellSize } from './raster.ts';
import type { DrawnPlot } from './draw-chart.ts';
import type { DrawChartOptions } from './draw-chart-options.ts';
import { type AxisPlace, layOutPanel, type Panel } from './draw-panel.ts';
import { openScreen, withAsciiMinus } from './screen.ts';
import { writePieces, writeTitles } from './write-titles.ts';

/** With more lines in one plot, they cross too often to be followed. */
const mostLines = 5;

/** True if a chart over time has more series than one plot can show. */
export function isCrowded({ kind, x, panels: [panel, ...others] }: Chart): boolean {
  const overTime = x.granularity !== undefined && (kind === 'line' || kind === 'area' || kind === 'stacked');
  return overTime && others.length === 0 && (panel?.series.length ?? 0) > mostLines;
}

/** The note below plots on a common scale. */
export const scaleNote = 'All plots have the same scale.';

/** Cells: the least width of a plot with its labels, and the gap between two plots. */
const narrowest = 22;
const gap = 2;
/** Lines: the least height of a plot, its default height, its name, its baseline, and the labels below the last one. */
const lowest = 3;
const usual = 4;
const nameLines = 1;
const baseLines = 1;
const labelLines = 1;

/** A grid of plots. */
interface PlotGrid {
  readonly columns: number;
  /** Cells of each plot with its labels, and lines of the plot alone. */
  readonly width: number;
  readonly plotHeight: number;
}

/**
 * The grid of plots that uses the room best, with about three cells of width per line. Undefined if the plots would be
 * too small to read, or each would need its own row.
 */
export function fitGrid(
  count: number,
  { width, height }: { readonly width: number; readonly height: number | undefined },
): PlotGrid | undefined {
  const most = Math.min(count, Math.floor((width + gap) / (narrowest + gap)));
  const grids = Array.from({ length: Math.max(0, most - 1) }, (_, index): PlotGrid => {
    const columns = index + 2;
    const rows = Math.ceil(count / columns);
    return {
      columns,
      width: Math.floor((width - (columns - 1) * gap) / columns),
      plotHeight: height === undefined ? usual : Math.floor((height - labelLines) / rows) - nameLines - baseLines,
    };
  }).filter(({ plotHeight }) => plotHeight >= lowest);
  const use = (grid: PlotGrid) => Math.min(grid.width / 3, grid.plotHeight);
  return grids.reduce<PlotGrid | undefined>(
    (best, grid) =>
      // Without a given height, the grid with the fewest lines is best.
      best && (height === undefined ? grid.columns <= best.columns : use(grid) <= use(best)) ? best : grid,
    undefined,
  );
}

/**
 * Draws each series of a chart over time in its own plot, all on one scale; undefined if they do not fit. Series
 * without values get an empty plot with their name.
 */
export async function layOutMultiples(
  chart: Chart,
  theme: ThemeName,
  options: DrawChartOptions,
  places: readonly AxisPlace[],
): Promise<{ readonly lines: readonly string[]; readonly plots: readonly DrawnPlot[] } | undefined> {
  const [panel] = chart.panels;
  if (!panel) return undefined;
  const head = writeTitles({ title: [chart.title], subtitle: chart.subtitle === '' ? [] : [chart.subtitle] }, options);
  const { series } = panel;
  const height = options.height === undefined ? undefined : options.height - head.length;
  const grid = fitGrid(series.length, { width: options.width, height });
  if (!grid) return undefined;
  const { columns, width, plotHeight } = grid;
  const rows = Math.ceil(series.length / columns);
  const opened: (Panel | undefined)[] = [];
  try {
    for (const [index, each] of series.entries()) {
      const isLast = index + columns >= series.length;
      const spec = toSpec(chart, panel, each, isLast, theme, width);
      opened.push(spec && (await layOutPanel(spec, { ...options, height: undefined, width, plotHeight, left: 0 })));
    }
    const left = Math.max(0, ...opened.map((each) => each?.left ?? 0));
    for (const each of opened) if (each && each.left < left) await each.layOutAgain(left);
    const rowHeight = nameLines + plotHeight + baseLines;
    const screen = openScreen(options.width, head.length + rows * rowHeight + labelLines);
    head.forEach((pieces, row) => writePieces(screen, row, pieces));
    const plots: DrawnPlot[] = [];
    const names = truncateApart(
      series.map(({ label }) => label),
      width,
      options.ascii ? '...' : '…',
    );
    for (const index of series.keys()) {
      const top = head.length + Math.floor(index / columns) * rowHeight;
      const at = (index % columns) * (width + gap);
      const name = names[index] ?? '';
      screen.put(top, at, name, options.colours > 0 ? { bold: true } : {});
      const drawn = opened[index]?.write();
      if (!drawn) continue;
      const { plot } = drawn;
      // Text above a plot, such as the numbers of marks, would overlap its name.
      for (let row = plot.top; row < Math.min(drawn.screen.height, plot.top + rowHeight); row += 1)
        for (let column = 0; column < width; column += 1)
          screen.put(
            top + nameLines + row - plot.top,
            at + column,
            drawn.screen.textAt(row, column),
            drawn.screen.inkAt(row, column),
          );
      plots.push({
        top: top + nameLines,
        height: plot.height,
        columns: places.map((place) => {
          const column = plot.columnOf(place);
          return column === undefined ? undefined : at + column;
        }),
      });
    }
    const lines = screen.lines(options.colours);
    const shown = lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
    return { lines: options.ascii ? withAsciiMinus(shown) : shown, plots };
  } finally {
    for (const each of opened) each?.close();
  }
}

/** One series as a chart on the shared scale; undefined if it has no values. */
function toSpec(
  chart: Chart,
  panel: ChartPanel,
  series: ChartSeries,
  isLast: boolean,
  theme: ThemeName,
  width: number,
): VegaLiteSpec | undefined {
  if (series.values.every((value) => value === null)) return undefined;
  const extent = panel.series.flatMap(({ values }) => values.filter((value) => value !== null));
  const own: Chart = {
    ...chart,
    // Amounts are drawn as areas, which start at 0.
    kind: panel.additive ? 'area' : 'line',
    title: '',
    subtitle: '',
    panels: [
      {
        ...panel,
        series: [series],
        extent: [extent.reduce((a, b) => Math.min(a, b)), extent.reduce((a, b) => Math.max(a, b))],
      },
    ],
  };
  const { title: _, ...spec } = toVegaLite(own, { theme, withNotes: false, width: width * cellSize.width });
  return isLast ? spec : withoutLabels(spec);
}

/** Removes the axis, because the plots below have the same one. */
function withoutLabels(spec: VegaLiteSpec): VegaLiteSpec {
  const { encoding } = spec;
  if (!isSpec(encoding) || !isSpec(encoding['x'])) return spec;
  return { ...spec, encoding: { ...encoding, x: { ...encoding['x'], axis: null } } };
}
