import { cellAt, type Raster } from './raster.ts';
import { cellSize } from './cell-size.ts';
import type { Box } from './draw-rects.ts';

const straight = { across: ['─', '-'], down: ['│', '|'] } as const;
const broken = { across: ['╌', '-'], down: ['┊', ':'] } as const;

/** A level or upright line through cells. False where it is neither; then nothing is drawn. */
export function drawRule(raster: Raster, { x1, y1, x2, y2 }: Box, { dashed, ascii }: { readonly dashed: boolean; readonly ascii: boolean }): boolean {
  const signs = dashed ? broken : straight;
  if (Math.abs(x2 - x1) < 1) {
    for (let y = Math.min(y1, y2); y < Math.max(y1, y2) - 1; y += cellSize.height) setRule(raster, cellAt(raster, x1, y), signs.down[ascii ? 1 : 0]);
    return true;
  }
  if (Math.abs(y2 - y1) >= 1) return false;
  for (let x = Math.min(x1, x2); x < Math.max(x1, x2) - 1; x += cellSize.width) setRule(raster, cellAt(raster, x, y1), signs.across[ascii ? 1 : 0]);
  return true;
}

function setRule(raster: Raster, cell: number, sign: string): void {
  if (cell >= 0) raster.rules[cell] = sign;
}
