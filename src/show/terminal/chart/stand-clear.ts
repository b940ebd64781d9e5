import { cellSize } from './cell-size.ts';
import type { PlotMark } from './list-plot-marks.ts';
import type { PlotView } from './open-plot-view.ts';

/** Whether bars that stand at different places have a cell of their own each, as bars on a scale of times may not have. */
export function stand(starts: readonly number[], size: number): boolean {
  const ordered = [...new Set(starts.map((start) => Math.round(start * 100) / 100))].sort((a, b) => a - b);
  return ordered.every((start, index) => index === 0 || start - (ordered[index - 1] as number) >= size - 0.05);
}

/** As `stand`, for all rectangles of a plot. */
export function standClear({ rects }: PlotView, marks: readonly PlotMark[]): boolean {
  return marks.every(({ mark, dx, dy }) => {
    if (mark.marktype !== 'rect') return true;
    const role = rects.get(mark.name ?? '');
    const upright = role?.x !== 'place' || stand(mark.items.map(({ x = 0 }) => x + dx), cellSize.width);
    return upright && (role?.y !== 'place' || stand(mark.items.map(({ y = 0 }) => y + dy), cellSize.height));
  });
}
