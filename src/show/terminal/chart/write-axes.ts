import { padToCells, truncateApart } from '../../labels/cell-width.ts';
import { cellSize, slack } from './raster.ts';
import { axisRoom, type PlotFit, type SideAxis } from './fit-plot.ts';
import { placeLabels } from './place-texts.ts';
import type { FrameAxis } from './read-frame.ts';
import type { Ink, Screen } from './screen.ts';

const unicode = {
  down: '│',
  left: '┤',
  right: '├',
  across: '─',
  below: '┬',
  above: '┴',
  corners: { bottom: ['└', '┘'], top: ['┌', '┐'] },
  ellipsis: '…',
} as const;
const ascii = {
  down: '|',
  left: '+',
  right: '+',
  across: '-',
  below: '+',
  above: '+',
  corners: { bottom: ['+', '+'], top: ['+', '+'] },
  ellipsis: '...',
} as const;

export interface AxisPlace {
  /** The plot's upper left cell on the screen. */
  readonly row: number;
  readonly column: number;
  readonly fit: PlotFit;
  readonly ascii: boolean;
  readonly inks: { readonly line: Ink; readonly label: Ink };
}

/** Writes the axes at the left and right. A label is on the line where bars with its value end. */
export function writeSides(screen: Screen, { row, column, fit, ascii: isAscii, inks }: AxisPlace): void {
  const signs = isAscii ? ascii : unicode;
  let leftEdge = column - fit.before;
  let rightEdge = column + fit.width + fit.behind;
  for (const side of fit.sides) {
    const isLeft = side.axis.side === 'left';
    const room = axisRoom(side);
    if (isLeft) leftEdge -= room;
    writeSide(screen, side, { row, at: isLeft ? leftEdge : rightEdge, isLeft, height: fit.height });
    if (!isLeft) rightEdge += room;
  }

  function writeSide(
    on: Screen,
    { axis, labelRoom, line }: SideAxis,
    { row: top, at, isLeft, height }: { row: number; at: number; isLeft: boolean; height: number },
  ): void {
    const texts = truncateApart(
      axis.labels.map(({ text }) => text),
      labelRoom,
      signs.ellipsis,
    );
    const labelled = new Map(
      axis.labels.map(({ at: pixel }, index) => [Math.floor(pixel / cellSize.height + slack), texts[index]]),
    );
    for (let down = 0; down <= height; down += 1) {
      const text = labelled.get(down);
      // The line below the last one belongs to the other axis, but still gets a label.
      if (line && down < height)
        on.put(
          top + down,
          isLeft ? at + labelRoom + 1 : at,
          text === undefined ? signs.down : isLeft ? signs.left : signs.right,
          inks.line,
        );
      if (text !== undefined)
        on.put(
          top + down,
          isLeft ? at : at + (line ? 2 : 1),
          padToCells(text, labelRoom, isLeft ? 'right' : 'left'),
          inks.label,
        );
    }
  }
}

/** Number of lines for an axis below or above the plot. */
export function countAxisLines(axis: FrameAxis, hasLine: boolean): number {
  return (hasLine ? 1 : 0) + (axis.labels.length > 0 ? 1 : 0);
}

interface AcrossOptions {
  /** The first line of the axis. */
  readonly at: number;
  readonly hasLine: boolean;
  /** Cells per label, if every label is required. */
  readonly labelRoom: number | undefined;
  /** The plot has lying bars, so a value is labelled at the last cell that its bar fills. */
  readonly lying: boolean;
}

/** Writes an axis below or above the plot. */
export function writeAcross(
  screen: Screen,
  axis: FrameAxis,
  { at, hasLine, labelRoom, lying }: AcrossOptions,
  { column, fit, ascii: isAscii, inks }: AxisPlace,
): void {
  const signs = isAscii ? ascii : unicode;
  const isBelow = axis.side === 'bottom';
  const least = lying && column > 0 ? -1 : 0;
  const cell = (pixel: number) =>
    Math.min(
      fit.width - 1,
      Math.max(
        least,
        lying ? Math.ceil(pixel / cellSize.width - slack) - 1 : Math.floor(pixel / cellSize.width + slack),
      ),
    );
  const labels = placeLabels(
    axis.labels.map(({ at: pixel, text }) => ({ at: column + cell(pixel), text })),
    { from: 0, to: screen.width, room: labelRoom ?? screen.width, ellipsis: signs.ellipsis },
  );
  if (hasLine) {
    const line = at + (isBelow ? 0 : countAxisLines(axis, true) - 1);
    screen.put(line, column, signs.across.repeat(fit.width), inks.line);
    if (fit.sides.some(({ axis: { side }, line: drawn }) => side === 'left' && drawn))
      screen.put(line, column - 1, signs.corners[isBelow ? 'bottom' : 'top'][0], inks.line);
    if (fit.sides.some(({ axis: { side }, line: drawn }) => side === 'right' && drawn))
      screen.put(line, column + fit.width, signs.corners[isBelow ? 'bottom' : 'top'][1], inks.line);
    if (fit.step === 0)
      for (const { at: place } of labels) screen.put(line, place, isBelow ? signs.below : signs.above, inks.line);
  }
  const line = at + (isBelow && hasLine ? 1 : 0);
  for (const { column: start, text } of labels) screen.put(line, start, text, inks.label);
}
