import type stringWidth from 'string-width';
import { graphemes } from '../../ask/graphemes.ts';
import { loadStringWidth } from './load-string-width.ts';

let loaded: typeof stringWidth | undefined;

// Latin letters and signs, dashes, the ellipsis, lines, blocks and dots, one cell each. U+0300 is the first combining
// mark.
const simple = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2013\u2014\u2026\u203a\u2500-\u259f\u2800-\u28ff]*$/;

// Fonts may join the letters around one of these (Indic viramas); terminals still give each letter its own cell.
const letterJoiner = /[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d]/g;

/**
 * Number of terminal cells of a text: two for CJK and emoji, none for combining marks. The text must not contain
 * control characters.
 */
export function cellWidth(text: string): number {
  if (simple.test(text)) return text.length;
  loaded ??= loadStringWidth();
  return loaded(text.replace(letterJoiner, ''));
}

/** The text if it fits into this many cells, else its beginning with the ellipsis. */
export function truncateToCells(text: string, cells: number, ellipsis: string): string {
  if (text.length <= cells && simple.test(text)) return text;
  // A cell never takes sixteen UTF-16 units, even with marks and joined emoji, so skip measuring longer texts.
  if (text.length <= cells * 16 && cellWidth(text) <= cells) return text;
  const room = cells - cellWidth(ellipsis);
  if (room < 0) return '';
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    const next = cellWidth(grapheme);
    if (width + next > room) break;
    width += next;
    kept += grapheme;
  }
  return kept.trimEnd() + ellipsis;
}

/**
 * Truncates texts so that different ones stay different: those that would look alike are cut in the middle, since
 * addresses and numbered names differ at their ends. If that does not help, they are numbered.
 */
export function truncateApart(texts: readonly string[], cells: number, ellipsis: string): readonly string[] {
  const atEnd = texts.map((text) => truncateToCells(text, cells, ellipsis));
  const isAlike = toAlike(texts, atEnd);
  const inMiddle = texts.map((text, index) =>
    isAlike(index) ? truncateMiddle(text, cells, ellipsis) : (atEnd[index] as string),
  );
  const isStillAlike = toAlike(texts, inMiddle);
  const names = [...new Set(texts.filter((_, index) => isStillAlike(index)))];
  return texts.map((text, index) => {
    if (!isStillAlike(index)) return inMiddle[index] as string;
    const number = `${ellipsis}${names.indexOf(text) + 1}`;
    const kept = truncateToCells(text, Math.max(0, cells - cellWidth(number)), '');
    return truncateToCells(`${kept}${number}`, cells, '');
  });
}

/** True for a text that looks like a different one once both are cut. */
function toAlike(texts: readonly string[], cut: readonly string[]): (index: number) => boolean {
  const wholes = new Map<string, Set<string>>();
  cut.forEach((one, index) => wholes.set(one, (wholes.get(one) ?? new Set()).add(texts[index] as string)));
  return (index) => (wholes.get(cut[index] as string)?.size ?? 0) > 1;
}

/** The text if it fits, else its beginning and its end around the ellipsis. */
function truncateMiddle(text: string, cells: number, ellipsis: string): string {
  if (cellWidth(text) <= cells) return text;
  const room = cells - cellWidth(ellipsis);
  if (room < 2) return truncateToCells(text, cells, ellipsis);
  let tail = '';
  let width = 0;
  for (const grapheme of [...graphemes(text)].reverse()) {
    width += cellWidth(grapheme);
    if (width > Math.ceil(room / 2)) break;
    tail = grapheme + tail;
  }
  return `${truncateToCells(text, cells - cellWidth(tail), ellipsis)}${tail}`;
}

/** Pads the text with spaces to this many cells. */
export function padToCells(text: string, cells: number, align: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, cells - cellWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}
