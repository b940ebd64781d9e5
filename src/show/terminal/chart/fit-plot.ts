import { cellWidth } from '../../labels/cell-width.ts';
import { cellSize, slack } from './raster.ts';
import type { PlotSize, PlotView } from './open-plot-view.ts';
import type { PlotText } from './plot-text.ts';
import type { Frame, FrameAxis } from './read-frame.ts';
import { bigFrom, bigLines } from './write-titles.ts';

/** The position and size of a plot on its screen, in cells. */
export interface PlotFit extends PlotSize {
  readonly left: number;
  /** Cells next to the plot, at its left and right, that its texts reach into. `left` and `right` include them. */
  readonly before: number;
  readonly behind: number;
  /** Lines above and below the plot for texts that reach out of it. */
  readonly above: number;
  readonly below: number;
  /** Cells from one category to the next; 0 if none are side by side. */
  readonly step: number;
  /** The axes at the left and right, each with cells for its widest label. */
  readonly sides: readonly SideAxis[];
}

export interface SideAxis {
  readonly axis: FrameAxis;
  readonly labelRoom: number;
  /** A line separates it from the plot. */
  readonly line: boolean;
}

interface Room {
  readonly width: number;
  /** Lines for the plot, if nothing else determines them. */
  readonly height: number;
  /** The plot cannot have more lines than `height`. */
  readonly fixed: boolean;
  /** Cells at the left that another plot, above or below, needs. */
  readonly left: number;
  readonly ascii: boolean;
  /** Names of columns may be cut. */
  readonly cutNames: boolean;
}

/** The largest share of a line for labels of categories. */
const mostLabelShare = 0.5;
const mostTextShare = 0.35;
const leastPlot = 8;
const widestBar = 10;
const widestField = 12;

/**
 * Finds the size at which a plot fits into a room with its labels and texts, starting from the view's current layout.
 * Undefined if there are more columns than cells, or if their names would be unreadable.
 */
export function fitPlot(
  view: PlotView,
  frame: Frame,
  texts: readonly PlotText[],
  now: PlotSize,
  room: Room,
): PlotFit | undefined {
  const mostLabel = Math.floor(room.width * mostLabelShare);
  const sides = frame.axes
    .filter(({ side }) => side === 'left' || side === 'right')
    .map(
      (axis): SideAxis => ({
        axis,
        labelRoom: Math.min(mostLabel, widestLabel(axis)),
        line: axis.labels.length > 0 && (axis.line || !view.bands.y),
      }),
    );
  const free = room.width - sumRoom(sides, 'left') - sumRoom(sides, 'right');
  const { before, behind } = reachOut(texts, now, free, Math.floor(room.width * mostTextShare));
  const left = Math.max(room.left, before + sumRoom(sides, 'left'));
  const right = behind + sumRoom(sides, 'right');
  const width = Math.max(leastPlot, room.width - left - right);
  const isField = [...view.rects.values()].some(({ x, y }) => x === 'place' && y === 'place');
  const across = fitAcross(view, frame, width, isField);
  const down = fitDown(view, room);
  if (!across || !down) return undefined;
  return {
    left,
    before,
    behind,
    sides,
    width: across.size,
    height: down.size,
    gapX: across.gap,
    gapY: down.gap,
    step: across.step,
    above: texts.reduce((most, { row }) => Math.max(most, -row), 0),
    below: texts.reduce((most, { row }) => Math.max(most, row - now.height + 1), 0),
  };

  function fitAcross(
    { bands: { x } }: PlotView,
    { axes }: Frame,
    preference: number,
    field: boolean,
  ): BandFit | undefined {
    if (!x) {
      const lying = [...view.rects.values()].some((role) => role.x === 'values');
      const ticks = lying ? axes.find(({ side }) => side === 'bottom' || side === 'top') : undefined;
      return { size: evenSize(ticks, now.width * cellSize.width, preference), step: 0, gap: 0 };
    }
    const fit = fitBands({
      count: countOf(view, x.scale),
      parts: x.within === undefined ? 1 : Math.max(1, countOf(view, x.within)),
      room: preference,
      widest: field ? widestField : widestBar,
      gaps: field ? [0] : x.within === undefined && countOf(view, x.scale) * 5 < preference ? [2, 1, 0] : [1, 0],
    });
    const names = axes.find(({ side }) => side === 'bottom' || side === 'top');
    if (!fit || !names || room.cutNames || view.thinnable.has(x.scale)) return fit;
    return names.labels.every(({ text }) => cellWidth(text) < fit.step) || names.labels.length === 1 ? fit : undefined;
  }

  function fitDown({ bands: { y } }: PlotView, { height, fixed }: Room): BandFit | undefined {
    if (view.textPlaces !== undefined)
      return {
        size: view.textPlaces * (texts.some(({ size }) => size >= bigFrom) && !room.ascii ? bigLines : 1),
        step: 0,
        gap: 0,
      };
    if (!y) return { size: evenSize(sides[0]?.axis, now.height * cellSize.height, height), step: 0, gap: 0 };
    const count = countOf(view, y.scale);
    if (count === 0) return { size: height, step: 0, gap: 0 };
    const parts = y.within === undefined ? 1 : Math.max(1, countOf(view, y.within));
    const airy = parts > 1 && (!fixed || count * (parts + 1) - 1 <= height);
    return fitBands({ count, parts, room: Infinity, widest: 1, gaps: airy ? [1] : [0] });
  }
}

/**
 * Cells beside a plot for the texts that reach out of it. A text keeps its distance from its mark, which moves with the
 * plot's width: the plot gets the part of `free` that the texts do not take.
 */
function reachOut(
  texts: readonly PlotText[],
  now: PlotSize,
  free: number,
  most: number,
): { readonly before: number; readonly behind: number } {
  let before = 0;
  let behind = 0;
  for (const { row, column, cells } of texts) {
    if (row < 0 || row >= now.height) continue;
    const start = column / now.width;
    const end = (column + cells) / now.width;
    // A text that begins in the left half would also be cut in a narrower plot, and vice versa.
    if (start >= 0.5) behind = Math.max(behind, (cells - free * (1 - Math.min(1, start))) / Math.min(1, start));
    else if (end < 0.5) before = Math.max(before, (cells - free * Math.max(0, end)) / (1 - Math.max(0, end)));
  }
  return { before: Math.min(most, Math.ceil(before - slack)), behind: Math.min(most, Math.ceil(behind - slack)) };
}

function countOf({ scale }: PlotView, name: string): number {
  return scale(name)?.domain().length ?? 0;
}

/** Cells of an axis beside the plot: its labels, a space, and its line. */
export function axisRoom({ axis, labelRoom, line }: SideAxis): number {
  return (axis.labels.length > 0 ? labelRoom + 1 : 0) + (line ? 1 : 0);
}

function sumRoom(sides: readonly SideAxis[], side: FrameAxis['side']): number {
  return sides.filter(({ axis }) => axis.side === side).reduce((sum, axis) => sum + axisRoom(axis), 0);
}

function widestLabel({ labels }: FrameAxis): number {
  return labels.reduce((widest, { text }) => Math.max(widest, cellWidth(text)), 0);
}

/** A size near the preferred one that puts all ticks on cell borders, if they divide the axis evenly. */
function evenSize(axis: FrameAxis | undefined, length: number, preference: number): number {
  const ticks = (axis?.labels ?? []).map(({ at }) => at).sort((a, b) => a - b);
  const parts = ticks.length - 1;
  if (parts < 1) return preference;
  const isEven = ticks.every((tick, index) => Math.abs(tick - (length * index) / parts) < 1);
  const size = Math.floor(preference / parts) * parts;
  return isEven && size >= preference * 0.7 ? size : preference;
}

/** How bands of equal size lie on cells. */
interface BandFit {
  /** Cells for all bands together. */
  readonly size: number;
  /** Cells from one band to the next. */
  readonly step: number;
  /** Gap between two bands as a fraction of a step: Vega's inner padding. */
  readonly gap: number;
}

interface BandPreference {
  readonly count: number;
  /** Parts of each band that need their own cell. */
  readonly parts: number;
  /** Available cells. */
  readonly room: number;
  /** The most cells for a part. */
  readonly widest: number;
  /** Cells between two bands, in order of preference. */
  readonly gaps: readonly number[];
}

/**
 * The widest bands of whole cells that fit, with the first gap that leaves each part a cell; undefined if none does.
 */
function fitBands({ count, parts, room, widest, gaps }: BandPreference): BandFit | undefined {
  if (count === 0) return { size: room, step: room, gap: 0 };
  for (const gap of gaps) {
    const part = Math.min(widest, Math.floor((Math.floor((room + gap) / count) - gap) / parts));
    if (part < 1) continue;
    const step = part * parts + gap;
    return { size: count * step - gap, step, gap: gap / step };
  }
  return undefined;
}
