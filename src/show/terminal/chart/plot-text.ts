import { cellWidth } from '../../labels/cell-width.ts';
import { cellSize, slack } from './raster.ts';
import { readText } from './read-frame.ts';
import { beyondNumbers, refuse } from './undrawable.ts';
import type { SceneItem } from './scene.ts';

/** A text in or beside a plot, in cells from the plot's upper left corner. It may extend outside. */
export interface PlotText {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  readonly cells: number;
  readonly bold: boolean;
  readonly colour: unknown;
  /** Font size in pixels, as the chart specifies. */
  readonly size: number;
  /** Write it only if all of it fits. */
  readonly optional: boolean;
}

/** Texts up to this angle count as level. */
const level = 0.5;

const usualSize = 11;

/** Converts a scene text to cells, one entry per line. Throws if the text is rotated. */
export function toPlotTexts(item: SceneItem, dx: number, dy: number, optional = false): readonly PlotText[] {
  const {
    text,
    x = 0,
    y = 0,
    dx: moveX = 0,
    dy: moveY = 0,
    align,
    baseline,
    angle = 0,
    fontSize: size = usualSize,
    opacity,
    fillOpacity,
    fill,
    fontWeight,
  } = item;
  if (opacity === 0 || fillOpacity === 0 || fill === undefined || fill === null || fill === 'transparent') return [];
  const lines = readText(text).filter((line) => line !== '');
  if (lines.length === 0) return [];
  if (Math.abs(angle % 360) > level) throw refuse('turned texts');
  if (!Number.isFinite(x + y)) throw beyondNumbers();
  const middle =
    y +
    dy +
    moveY +
    (baseline === 'top' || baseline === 'line-top'
      ? size / 2
      : baseline === 'middle'
        ? 0
        : baseline === 'bottom' || baseline === 'line-bottom'
          ? -size / 2
          : -size / 3);
  // A text with an offset stays at least one cell away from its place.
  const at = (x + dx) / cellSize.width;
  const away = moveX === 0 ? 0 : Math.sign(moveX) * Math.max(1, Math.round(Math.abs(moveX) / cellSize.width));
  return lines.map((line, index) => {
    const cells = cellWidth(line);
    const column =
      away +
      (align === 'right'
        ? Math.floor(at + slack) - cells
        : align === 'center'
          ? Math.floor(at - cells / 2 + 0.5)
          : Math.ceil(at - slack));
    return {
      row: Math.floor(middle / cellSize.height + slack) + index,
      column,
      text: line,
      cells,
      bold: fontWeight === 'bold' || Number(fontWeight) >= 600,
      colour: fill,
      size,
      optional,
    };
  });
}
