import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import type { VegaLiteSpec } from '../../chart/chart.ts';
import { sanitize } from '../../labels/sanitize.ts';
import { checkSpec } from './convert-spec.ts';
import { type DrawChartOptions, narrowestChart } from './draw-chart-options.ts';
import { type AxisPlace, layOutPanel, type Panel } from './draw-panel.ts';
import { drawFlowTree, type FlowTree, readFlowTree } from './flow-tree.ts';
import { openScreen, withAsciiMinus } from './screen.ts';
import { writePieces, writeTitles } from './write-titles.ts';

/** Properties that stacked views inherit. */
const inherited = ['data', 'datasets', 'config', 'params'] as const;

/** The views of a chart from top to bottom: one, unless it stacks several (`vconcat`). */
function splitPanels(spec: VegaLiteSpec): readonly VegaLiteSpec[] {
  const { vconcat } = spec;
  if (!Array.isArray(vconcat)) return [spec];
  const shared: VegaLiteSpec = Object.fromEntries(
    inherited.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]])),
  );
  const panels: readonly VegaLiteSpec[] = vconcat;
  return panels.flatMap((part) => {
    const transform = [...asList(spec['transform']), ...asList(part['transform'])];
    return splitPanels({ ...shared, ...part, ...(transform.length > 0 ? { transform } : {}) });
  });
}

/** The title and subtitle above stacked views, if they are plain texts. Sanitized. */
function readJoinedTitle(spec: VegaLiteSpec): Titles {
  return Array.isArray(spec['vconcat']) ? readTitle(spec) : { title: [], subtitle: [] };
}

type Titles = Readonly<Record<'title' | 'subtitle', readonly string[]>>;

function readTitle({ title }: VegaLiteSpec): Titles {
  if (title === undefined || title === null) return { title: [], subtitle: [] };
  const { text, subtitle } =
    typeof title === 'object' && !Array.isArray(title) ? (title as VegaLiteSpec) : { text: title, subtitle: undefined };
  return { title: toLines(text), subtitle: toLines(subtitle) };
}

function toLines(text: VegaLiteSpec[string] | undefined): readonly string[] {
  return (Array.isArray(text) ? text : [text])
    .filter((line) => typeof line === 'string' && line !== '')
    .map((line) => sanitize(line as string));
}

function asList<T>(value: T | readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Draws a Vega-Lite chart as lines of text, using Vega's layout on a grid of cells. No line is wider than `width`. The
 * chart's own size is ignored. Without colour, the lines contain no escape sequences. Errors: `chart-undrawable` if
 * cells cannot show a part of the chart, `chart-invalid` if the specification is invalid.
 */
export async function drawChart(spec: VegaLiteSpec, options: DrawChartOptions): Promise<readonly string[]> {
  return (await layOutChart(spec, options)).lines;
}

/** A plot among the lines of a chart. */
export interface DrawnPlot {
  readonly top: number;
  readonly height: number;
  /** The cell of each requested place; undefined if it has none. */
  readonly columns: readonly (number | undefined)[];
}

/** Like `drawChart`, and finds the cells of these places of the horizontal axis. Same errors. */
export async function layOutChart(
  spec: VegaLiteSpec,
  options: DrawChartOptions,
  places: readonly AxisPlace[] = [],
): Promise<{ readonly lines: readonly string[]; readonly plots: readonly DrawnPlot[] }> {
  if (!(options.width >= narrowestChart)) throw tooNarrow(options.width);
  const specs = splitPanels(spec);
  for (const part of specs) checkSpec(part);
  const tree = readFlowTree(spec);
  if (tree) return { lines: drawTree(spec, tree, options), plots: [] };
  const plotHeight = toPlotHeight(options, specs.length);
  const panels: Panel[] = [];
  try {
    for (const part of specs) panels.push(await layOutPanel(part, { ...options, plotHeight, left: 0 }));
    const left = Math.max(0, ...panels.map((panel) => panel.left));
    for (const panel of panels) if (panel.left < left) await panel.layOutAgain(left);
    const head = writeTitles(readJoinedTitle(spec), options);
    const titled = openScreen(options.width, head.length);
    head.forEach((pieces, row) => writePieces(titled, row, pieces));
    const lines = [...titled.lines(options.colours)];
    const plots = panels.map((panel, index): DrawnPlot => {
      if (index + head.length > 0) lines.push('');
      const { lines: own, plot } = panel.write();
      const top = lines.length + plot.top;
      lines.push(...own);
      return { top, height: plot.height, columns: places.map(plot.columnOf) };
    });
    return { lines: options.ascii ? withAsciiMinus(lines) : lines, plots };
  } finally {
    for (const panel of panels) panel.close();
  }
}

/** Bands cannot be followed on a grid of cells, so paths become a tree. */
function drawTree(spec: VegaLiteSpec, tree: FlowTree, options: DrawChartOptions): readonly string[] {
  const head = writeTitles(readTitle(spec), options);
  const titled = openScreen(options.width, head.length);
  head.forEach((pieces, row) => {
    writePieces(titled, row, pieces);
  });
  return [...titled.lines(options.colours), ...(head.length > 0 ? [''] : []), ...drawFlowTree(tree, options)];
}

/** Estimated lines for title, legend and axes. */
const usualFrame = 5;
const lowest = 4;

function toPlotHeight({ width, height }: DrawChartOptions, panels: number): number {
  if (height !== undefined) return Math.max(lowest, Math.floor((height - (panels - 1)) / panels) - usualFrame);
  const whole = Math.min(20, Math.max(10, Math.round(width / 5)));
  return panels === 1 ? whole : Math.max(6, Math.round(whole * 0.6));
}

function tooNarrow(width: number): InvalidInputError {
  const message = `A chart needs at least ${narrowestChart} columns, and there are ${width}.`;
  return new InvalidInputError(message, [errorIssue('chart-too-narrow', message)], {
    code: 'chart-too-narrow',
    hint: `Set --width to ${narrowestChart} or more, or widen the terminal.`,
  });
}
