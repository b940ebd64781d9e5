import { cellWidth } from '../cell-width.ts';
import { wrapWords } from '../wrap-words.ts';
import type { DrawChartOptions } from './draw-chart-options.ts';
import type { Frame } from './read-frame.ts';
import type { Ink, Screen } from './screen.ts';

/** A stretch of text in one ink. */
export interface Piece {
  readonly text: string;
  readonly ink: Ink;
}

/** Title and subtitle as lines, broken between words. */
export function writeTitles({ title, subtitle }: Pick<Frame, 'title' | 'subtitle'>, { width, colours, ascii = false }: DrawChartOptions): readonly (readonly Piece[])[] {
  const ellipsis = ascii ? '...' : '…';
  const lines = (texts: readonly string[], ink: Ink) => (texts.length === 0 ? [] : wrapWords(texts.join(' '), width, ellipsis).map((text) => [{ text, ink: colours > 0 ? ink : {} }]));
  return [...lines(title, { bold: true }), ...lines(subtitle, { dim: true })];
}

/** Writes pieces one after the other from the first cell of a line. */
export function writePieces(screen: Screen, row: number, pieces: readonly Piece[]): void {
  let column = 0;
  for (const { text, ink } of pieces) {
    screen.put(row, column, text, ink);
    column += cellWidth(text);
  }
}
