import { graphemes } from '../../../ask/graphemes.ts';
import { cellWidth } from '../../labels/cell-width.ts';
import { type Rgb, toParameters } from './colour.ts';
import type { ColourDepth } from './draw-chart-options.ts';

/** The style of a cell. The terminal's own colours apply if none is given. */
export interface Ink {
  readonly fg?: Rgb | undefined;
  readonly bg?: Rgb | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  /** Swap foreground and background. */
  readonly reverse?: boolean | undefined;
}

const plain: Ink = {};

/** A rectangle of cells to write on. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  /** Writes a sanitized text from a cell to the right. Cells outside the screen are ignored. */
  readonly put: (row: number, column: number, text: string, ink: Ink) => void;
  readonly inkAt: (row: number, column: number) => Ink;
  readonly textAt: (row: number, column: number) => string;
  /** The lines without trailing spaces. Without colour they contain no escape sequences. */
  readonly lines: (depth: ColourDepth) => readonly string[];
}

const simple = /^[\x20-\x7e\u2500-\u259f\u2800-\u28ff]*$/;

export function openScreen(width: number, height: number): Screen {
  // A cell covered by the wide character before it is empty.
  const texts: string[] = new Array<string>(width * height).fill(' ');
  const inks: Ink[] = new Array<Ink>(width * height).fill(plain);

  function set(row: number, column: number, text: string, cells: number, ink: Ink): void {
    if (row < 0 || row >= height || column < 0 || column + cells > width) return;
    const at = row * width + column;
    if (texts[at] === '' && column > 0) texts[at - 1] = ' ';
    if (column + cells < width && texts[at + cells] === '') texts[at + cells] = ' ';
    texts[at] = text;
    inks[at] = ink;
    for (let next = 1; next < cells; next += 1) {
      texts[at + next] = '';
      inks[at + next] = ink;
    }
  }

  return {
    width,
    height,
    put: (row, column, text, ink) => {
      if (text.length === 1 && text > ' ' && simple.test(text)) return set(row, column, text, 1, ink);
      let at = column;
      if (simple.test(text)) {
        for (const character of text) set(row, at++, character, 1, ink);
        return;
      }
      for (const grapheme of graphemes(text)) {
        const cells = cellWidth(grapheme);
        if (cells > 0) set(row, at, grapheme, cells, ink);
        at += cells;
      }
    },
    inkAt: (row, column) => inks[row * width + column] ?? plain,
    textAt: (row, column) => texts[row * width + column] ?? ' ',
    lines: (depth) =>
      Array.from({ length: height }, (_, row) =>
        writeLine(texts.slice(row * width, (row + 1) * width), inks.slice(row * width, (row + 1) * width), depth),
      ),
  };
}

/** Axes and changes have the minus sign of Unicode. */
export function withAsciiMinus(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replaceAll('\u2212', '-'));
}

function writeLine(texts: readonly string[], inks: readonly Ink[], depth: ColourDepth): string {
  let end = texts.length;
  while (end > 0 && texts[end - 1] === ' ' && (depth === 0 || isBlank(inks[end - 1] as Ink))) end -= 1;
  if (depth === 0) return texts.slice(0, end).join('');
  let line = '';
  let current = '';
  let last: Ink = plain;
  let wanted = '';
  for (let column = 0; column < end; column += 1) {
    if (texts[column] === '') continue;
    const ink = inks[column] as Ink;
    if (ink !== last) wanted = toSequence(ink, depth);
    last = ink;
    if (wanted !== current) {
      line += current === '' ? wanted : `\u001B[0m${wanted}`;
      current = wanted;
    }
    line += texts[column];
  }
  return current === '' ? line : `${line}\u001B[0m`;
}

function isBlank({ bg, reverse }: Ink): boolean {
  return bg === undefined && reverse !== true;
}

/** Select graphic rendition, ECMA-48 §8.3.117. */
function toSequence({ fg, bg, bold, dim, reverse }: Ink, depth: ColourDepth): string {
  const parameters = [
    bold && '1',
    dim && '2',
    reverse && '7',
    fg !== undefined && toParameters(fg, depth, false),
    bg !== undefined && toParameters(bg, depth, true),
  ].filter((part) => typeof part === 'string');
  return parameters.length === 0 ? '' : `\u001B[${parameters.join(';')}m`;
}
