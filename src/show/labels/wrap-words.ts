import { cellWidth, truncateToCells } from './cell-width.ts';

/** A text as lines of at most so many cells, broken between words; a word longer than a line is cut short. */
export function wrapWords(text: string, cells: number, ellipsis: string): readonly string[] {
  if (cellWidth(text) <= cells) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (cellWidth(longer) <= cells) {
      line = longer;
    } else {
      if (line !== '') lines.push(line);
      line = truncateToCells(word, cells, ellipsis);
    }
  }
  return line === '' ? lines : [...lines, line];
}
