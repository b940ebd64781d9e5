import { formatCount } from '../../../shape/format/format-number.ts';
import type { VegaLiteSpec } from '../../chart/chart.ts';
import { wrapWords } from '../../labels/wrap-words.ts';
import { type CellStyle, textOn, toCell, toGround, toSeen } from './cell-style.ts';
import { cellSize, slack, openRaster, type Raster } from './raster.ts';
import { convertSpec } from './convert-spec.ts';
import type { DrawChartOptions } from './draw-chart-options.ts';
import { type Drawing, drawMark, type DrawnBar, isOptional } from './draw-marks.ts';
import { fitPlot, type PlotFit } from './fit-plot.ts';
import { listPlotMarks } from './scene.ts';
import { openPlotView, type PlotSize, type PlotView } from './open-plot-view.ts';
import { openPaints, type Paints } from './paints.ts';
import { placeTexts, standClear } from './place-texts.ts';
import { type PlotText, toPlotTexts } from './plot-text.ts';
import { type FrameAxis, type FrameLegend, readFrame } from './read-frame.ts';
import { refuse } from './undrawable.ts';
import { type Ink, openScreen, type Screen } from './screen.ts';
import { countAxisLines, writeAcross, writeSides } from './write-axes.ts';
import { type SeriesMark, symbolPaint, writeLegend } from './write-legend.ts';
import { bigFrom, type Piece, writeBig, writePieces, writeTitles } from './write-titles.ts';

interface PanelOptions extends DrawChartOptions {
  /** Lines of the plot itself, if nothing else determines them. */
  readonly plotHeight: number;
  /** Cells that the plot leaves free at the left, so that stacked plots start at the same column. */
  readonly left: number;
}

/** The position of a plot within the lines of its panel. */
interface PlotPlace {
  /** Its first line, and the number of lines. */
  readonly top: number;
  readonly height: number;
  /**
   * The cell in a line for a place of the horizontal axis (the middle of its band, if it has one). Undefined if there
   * is none, as for bars below each other.
   */
  readonly columnOf: (place: AxisPlace) => number | undefined;
}

/** A place on an axis: its position on a continuous axis, its name on an axis with bands. */
export interface AxisPlace {
  readonly position: number;
  readonly band: string;
}

/** A laid-out view, ready to be written. */
export interface Panel {
  readonly left: number;
  /** The lines, as text and by cell. */
  readonly write: () => { readonly lines: readonly string[]; readonly screen: Screen; readonly plot: PlotPlace };
  readonly layOutAgain: (left: number) => Promise<void>;
  readonly close: () => void;
}

const tooMany = 'Ask for fewer, allow more width, or choose another kind of chart, such as a line.';

/**
 * Lays out a view. Columns that do not fit beside each other, with their names, become bars below each other. If that
 * does not help, names are cut.
 */
export async function layOutPanel(spec: VegaLiteSpec, options: PanelOptions): Promise<Panel> {
  for (const cutNames of [false, true]) {
    for (const way of [spec, convertSpec(spec)]) {
      const panel = await tryToLayOut(way, options, cutNames);
      if (panel) return panel;
    }
  }
  throw refuse(`so many columns in ${options.width} cells`, tooMany);
}

async function tryToLayOut(spec: VegaLiteSpec, options: PanelOptions, cutNames: boolean): Promise<Panel | undefined> {
  const size = { width: Math.max(8, options.width - firstMargin), height: options.plotHeight, gapX: 0, gapY: 0 };
  const view = await openPlotView(spec, size);
  const fit = await fitView(view, size, options, cutNames);
  if (!fit) {
    view.close();
    return undefined;
  }
  let current = fit;
  return {
    get left() {
      return current.left;
    },
    layOutAgain: async (left) => {
      current = (await fitView(view, current, { ...options, left }, cutNames)) ?? current;
    },
    write: () => writePanel(view, current, options),
    close: view.close,
  };
}

/** Typical space for an axis. If the guess is right, one layout is enough. */
const firstMargin = 8;
const mostLayouts = 4;

/** Lays the view out until the space around the plot leaves it its current size. */
async function fitView(
  view: PlotView,
  start: PlotSize,
  options: PanelOptions,
  cutNames: boolean,
): Promise<PlotFit | undefined> {
  let now: PlotSize = start;
  for (let layout = 0; ; layout += 1) {
    const root = view.root();
    const marks = listPlotMarks(root);
    const texts = marks
      .filter(({ mark }) => mark.marktype === 'text' && !isOptional(mark))
      .flatMap(({ mark, dx, dy }) => mark.items.flatMap((item) => toPlotTexts(item, dx, dy)));
    const fit = fitPlot(view, readFrame(view), texts, now, {
      width: options.width,
      height: options.plotHeight,
      fixed: options.height !== undefined,
      left: options.left,
      ascii: options.ascii ?? false,
      cutNames,
    });
    if (!fit) return undefined;
    if (layout === mostLayouts) {
      // Two sizes can each ask for the other. The texts then get their room, and the view the size that is drawn.
      await view.resize(fit);
      return fit;
    }
    // Ignore a spare cell: rounding could add and remove it forever.
    const fits =
      (fit.width === now.width || (fit.width === now.width + 1 && !view.bands.x)) &&
      fit.height === now.height &&
      fit.gapX === now.gapX &&
      fit.gapY === now.gapY;
    if (fits) return standClear(view, marks) ? { ...fit, width: now.width } : undefined;
    await view.resize(fit);
    now = fit;
  }
}

function writePanel(view: PlotView, fit: PlotFit, options: PanelOptions): ReturnType<Panel['write']> {
  const { width, colours: depth, dark = true, ascii = false } = options;
  const root = view.root();
  const frame = readFrame(view);
  const marks = listPlotMarks(root);
  const paints = openPaints(view.readColour, { depth, dark });
  for (const { entries } of frame.legends) for (const { symbol } of entries) symbolPaint(symbol, paints);
  const look: CellStyle = { depth, ascii, apart: paints.seriesCount() > 1 };
  const quiet: Ink = depth > 0 ? { dim: true } : {};
  const raster = openRaster(fit.width, fit.height);
  const drawing: Drawing = { raster, view, paints, look, bars: [] };
  const texts = marks.map((mark) => drawMark(mark, drawing));
  const by = seriesMark(marks.map(({ mark }) => mark.marktype));
  const head = [
    ...writeTitles(frame, options),
    ...frame.legends.flatMap((legend) => writeLegend(legend, { width, look, paints, view, by })),
  ];
  const top = frame.axes.filter(({ side }) => side === 'top');
  const bottom = frame.axes.filter(({ side }) => side === 'bottom');
  const roles = [...view.rects.values()];
  const isField = roles.some(({ x, y }) => x === 'place' && y === 'place');
  const hasLine = ({ labels, line }: FrameAxis) =>
    labels.length > 0 && !isField && (line || !view.bands.x || fit.sides.some((side) => side.line));
  const upright = frame.axes.filter(({ side, title }) => (side === 'left' || side === 'right') && title.length > 0);
  const titles = upright.map(({ title }): Piece => ({ text: title.join(' '), ink: quiet }));
  if (titles.length > 0)
    head.push(titles.flatMap((title, index) => (index === 0 ? [title] : [{ text: '  ', ink: {} }, title])));
  const linesAbove = top.reduce((sum, axis) => sum + countAxisLines(axis, hasLine(axis)), 0);
  const above = Math.max(fit.above, linesAbove);
  const linesBelow = bottom.reduce((sum, axis) => sum + countAxisLines(axis, hasLine(axis)), 0);
  const foot = [
    ...[...top, ...bottom].flatMap(({ title }) => title),
    ...describeUnseen(drawing, frame.legends),
  ].flatMap((line) => wrapWords(line, width, { ellipsis: ascii ? '...' : '…' }));
  // The label of 0 needs the line below the plot, even without an axis.
  const below = Math.max(fit.below, linesBelow, reachesBelow(fit) ? 1 : 0);
  const everyLabel = view.bands.x && !view.thinnable.has(view.bands.x.scale) ? Math.max(fit.step - 1, 4) : undefined;
  const across = { labelRoom: everyLabel, lying: roles.some(({ x, y }) => x === 'values' && y !== 'values') };
  const place = { row: head.length + above, column: fit.left, fit, ascii, inks: { line: quiet, label: quiet } };
  const screen = openScreen(width, place.row + fit.height + below + foot.length);
  head.forEach((pieces, row) => writePieces(screen, row, pieces));
  let at = place.row - linesAbove;
  for (const axis of top) {
    writeAcross(screen, axis, { ...across, at, hasLine: hasLine(axis) }, place);
    at += countAxisLines(axis, hasLine(axis));
  }
  at = place.row + fit.height;
  for (const axis of bottom) {
    writeAcross(screen, axis, { ...across, at, hasLine: hasLine(axis) }, place);
    at += countAxisLines(axis, hasLine(axis));
  }
  writeSides(screen, place);
  writeRaster(screen, raster, paints, look, place);
  writeTexts(screen, texts, { raster, paints, look, ...place });
  foot.forEach((line, row) => screen.put(place.row + fit.height + below + row, 0, line, quiet));
  const lines = screen.lines(depth);
  return {
    lines: lines.slice(0, lines.findLastIndex((line) => line !== '') + 1),
    screen,
    plot: { top: place.row, height: fit.height, columnOf: (axisPlace) => columnOf(view, fit, axisPlace) },
  };
}

function columnOf(view: PlotView, { left, width }: PlotFit, { position, band }: AxisPlace): number | undefined {
  const { x } = view.bands;
  const scale = view.scale(x?.scale ?? 'x');
  const at = scale?.(x ? band : position);
  if (typeof at !== 'number' || !Number.isFinite(at)) return undefined;
  const cell = Math.floor((at + (scale?.bandwidth?.() ?? 0) / 2 + slack) / cellSize.width);
  return cell < 0 || cell > width ? undefined : left + Math.min(cell, width - 1);
}

interface Placed {
  readonly row: number;
  readonly column: number;
}

function writeRaster(screen: Screen, raster: Raster, paints: Paints, look: CellStyle, { row, column }: Placed): void {
  for (let cell = 0; cell < raster.width * raster.height; cell += 1) {
    const written = toCell(raster, cell, paints, look);
    if (written)
      screen.put(row + Math.floor(cell / raster.width), column + (cell % raster.width), written.text, written.ink);
  }
}

function writeTexts(
  screen: Screen,
  texts: readonly (readonly PlotText[])[],
  { raster, paints, look, row, column }: Placed & Omit<Drawing, 'view' | 'bars'>,
): void {
  const inColumns = (at: number) => at >= column && at < column + raster.width;
  const room = {
    row,
    column,
    width: screen.width,
    height: screen.height,
    ellipsis: look.ascii ? '...' : '…',
    isFree: (line: number, at: number) => screen.textAt(line, at) === ' ',
  };
  for (const { row: line, column: start, text, cells, bold, size } of placeTexts(texts, room)) {
    if (size >= bigFrom && !look.ascii && writeBig(screen, line, start, text)) continue;
    const cell = (line - row) * raster.width + start - column;
    const inPlot = line >= row && line < row + raster.height && inColumns(start);
    const ground = inPlot ? toGround(raster, cell, paints, look) : undefined;
    const weight = bold && look.depth > 0 ? { bold: true } : {};
    // Without many colours, a space on each side separates figures from shades.
    if (inPlot && look.depth < 8)
      for (const beside of [start - 1, start + cells])
        if (isShade(screen.textAt(line, beside))) screen.put(line, beside, ' ', {});
    screen.put(line, start, text, ground === undefined ? weight : { ...weight, fg: textOn(ground), bg: ground });
  }
}

function isShade(text: string): boolean {
  return text === '█' || text === '▓' || text === '▒' || text === '░';
}

function seriesMark(kinds: readonly string[]): SeriesMark {
  return (['rect', 'area', 'line'] as const).find((kind) => kinds.includes(kind)) ?? 'symbol';
}

function reachesBelow({ sides, height }: PlotFit): boolean {
  return sides.some(({ axis }) => axis.labels.some(({ at }) => at >= height * cellSize.height - slack));
}

/**
 * Describes what cells do not show: how many bars, or parts of bars, of each series are too small, and which parts look
 * equally pale.
 */
function describeUnseen(drawing: Drawing, legends: readonly FrameLegend[]): readonly string[] {
  const { bars, paints } = drawing;
  const names = new Map(
    legends.flatMap(({ entries }) =>
      entries.flatMap(({ label, symbol }) => {
        const paint = symbolPaint(symbol, paints);
        return paint === 0 ? [] : [[paints.at(paint).series, label] as const];
      }),
    ),
  );
  const unseen = new Map<string, number>();
  for (const bar of bars) {
    const name = names.get(paints.at(bar.paint).series);
    if (name !== undefined && !isSeen(bar, drawing)) unseen.set(name, (unseen.get(name) ?? 0) + 1);
  }
  return [
    ...(unseen.size === 0 ? [] : [describeSmall(unseen)]),
    ...(arePaleAlike(drawing) ? ['Pale bars show only the sum of their parts.'] : []),
  ];
}

function describeSmall(unseen: ReadonlyMap<string, number>): string {
  return (
    'Too small to show here: ' +
    `${[...unseen].map(([name, count]) => `${name} in ${formatCount(count, 'bar')}`).join(', ')}.`
  );
}

/** Without colour, all faint paints share one sign. */
function arePaleAlike({ bars, paints, look }: Drawing): boolean {
  if (look.depth > 0 || look.ascii) return false;
  const seriesAt = new Map<string, number>();
  return bars.some(({ paint, lying, rows, columns }) => {
    const { faint, series } = paints.at(paint);
    if (!faint) return false;
    const place = `${lying} ${(lying ? rows : columns).join(' ')}`;
    const there = seriesAt.get(place) ?? series;
    seriesAt.set(place, there);
    return there !== series;
  });
}

function isSeen({ columns, rows, paint, lying }: DrawnBar, { raster, paints, look }: Drawing): boolean {
  for (let row = Math.max(0, rows[0]); row < Math.min(raster.height, rows[1]); row += 1) {
    for (let column = Math.max(0, columns[0]); column < Math.min(raster.width, columns[1]); column += 1) {
      const seen = toSeen(raster, row * raster.width + column, paints, look);
      if (seen.paints.includes(paint) || (seen.mark === paint && standsAlone(row, column))) return true;
    }
  }
  return false;

  /** On top of another part, a mark could belong to any series. */
  function standsAlone(row: number, column: number): boolean {
    const [below, beside] = lying ? [row, column - 1] : [row + 1, column];
    if (beside < 0 || below >= raster.height) return true;
    const start = (below * raster.width + beside) * 8;
    return raster.eighths.subarray(start, start + 8).every((id) => id === 0 || id === paint);
  }
}
