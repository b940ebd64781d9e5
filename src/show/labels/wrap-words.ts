import { graphemes } from '../../ask/graphemes.ts';
import { cellWidth, truncateToCells } from './cell-width.ts';

interface WrapOptions {
  /** How to treat a word longer than a line: `cut` (the default), `break`, or `keep`. */
  readonly longWords?: 'cut' | 'break' | 'keep' | undefined;
  /** Replaces what is cut. */
  readonly ellipsis?: string | undefined;
  /** Limit of lines. The last one ends in the ellipsis if there are more. */
  readonly mostLines?: number | undefined;
}

/** Wraps a text between words into lines of at most this many cells. A text that fits is unchanged. */
export function wrapWords(
  text: string,
  cells: number,
  { longWords = 'cut', ellipsis = '…', mostLines = Infinity }: WrapOptions = {},
): readonly string[] {
  const fit = (word: string): Iterable<string> =>
    longWords === 'keep'
      ? [word]
      : longWords === 'break'
        ? breakLine(word, cells)
        : [truncateToCells(word, cells, ellipsis)];
  const lines =
    cellWidth(text) <= cells
      ? [text]
      : joinWords(
          text.split(' ').flatMap((word) => [...fit(word)]),
          cells,
        );
  if (lines.length <= mostLines) return lines;
  if (mostLines < 1) return [];
  const last = lines.slice(mostLines - 1).join(' ');
  return [...lines.slice(0, mostLines - 1), truncateToCells(last, cells, ellipsis)];
}

function joinWords(words: readonly string[], cells: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && cellWidth(longer) > cells) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * Breaks a line lazily into pieces of at most this many cells. It drops only characters wider than a piece and, with
 * `atBlanks`, the blank between two pieces.
 */
export function* breakLine(
  text: string,
  cells: number,
  { atBlanks = false }: { readonly atBlanks?: boolean } = {},
): Generator<string> {
  if (text.length <= cells && cellWidth(text) <= cells) {
    yield text;
    return;
  }
  let line = '';
  let width = 0;
  let blank = -1;
  for (const grapheme of graphemes(text)) {
    const next = cellWidth(grapheme);
    if (width + next > cells && line !== '') {
      // Breaking at a blank far back would leave half of the line empty.
      const at = blank > line.length / 2 ? blank : line.length;
      yield line.slice(0, at);
      line = atBlanks ? line.slice(at).replace(/^ /, '') : '';
      width = cellWidth(line);
      blank = -1;
    }
    if (next > cells) continue;
    if (atBlanks && grapheme === ' ') blank = line.length;
    line += grapheme;
    width += next;
  }
  yield line;
}
