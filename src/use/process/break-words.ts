import { cellWidth } from '../../show/labels/cell-width.ts';

/** A text as lines, broken between words. Nothing is cut: what is to be typed or copied may be longer than a line. */
export function breakWords(text: string, cells: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && cellWidth(line) + 1 + cellWidth(word) <= cells) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
