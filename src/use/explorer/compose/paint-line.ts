import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { type TextLook, paint, type Tone } from '../../../show/terminal/paint.ts';

/** A text with its look, before it is cut to the room there is. */
export interface Stretch {
  readonly text: string;
  readonly tone: Tone;
}

export function ellipsisOf({ unicode }: TextLook): string {
  return unicode ? '…' : '...';
}

/** Texts from anywhere side by side, harmless, cut to so many cells. */
export function fitStretches(stretches: readonly Stretch[], width: number, look: TextLook): string {
  return cutStretches(stretches, width, look)
    .map(({ text, tone }) => paint(text, tone, look))
    .join('');
}

function cutStretches(stretches: readonly Stretch[], width: number, look: TextLook): readonly Stretch[] {
  const cut: Stretch[] = [];
  let left = width;
  for (const { text, tone } of stretches) {
    const whole = sanitize(text);
    const cells = cellWidth(whole);
    cut.push({ text: cells <= left ? whole : truncateToCells(whole, Math.max(0, left), ellipsisOf(look)), tone });
    if (cells > left) break;
    left -= cells;
  }
  return cut;
}

/** A text from anywhere, harmless, in so many lines at most, broken between its words. */
export function fitLines(text: string, tone: Tone, width: number, most: number, look: TextLook): readonly string[] {
  return wrapWords(sanitize(text), width, { ellipsis: ellipsisOf(look), mostLines: most }).map((line) =>
    paint(line, tone, look),
  );
}

/** What stands at the left, and what stands at the right edge, which gives way where there is no room for both. */
export function fitSides(start: readonly Stretch[], end: readonly Stretch[], width: number, look: TextLook): string {
  const wanted = cellsOf(end);
  const room = Math.min(wanted, Math.max(0, width - Math.min(cellsOf(start), Math.ceil(width * 0.6)) - gap));
  const right = wanted <= room ? end : cutStretches(end, room, look);
  const left = cutStretches(start, width - (room === 0 ? 0 : room + gap), look);
  const between = ' '.repeat(Math.max(0, width - cellsOf(left) - cellsOf(right)));
  const drawn = (stretches: readonly Stretch[]) =>
    stretches.map(({ text, tone }) => paint(sanitize(text), tone, look)).join('');
  return cellsOf(right) === 0 ? drawn(left) : drawn(left) + between + drawn(right);
}

const gap = 2;

function cellsOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { text }) => sum + cellWidth(sanitize(text)), 0);
}

/** One text, harmless, cut to so many cells. */
export function fitText(text: string, tone: Tone, width: number, look: TextLook): string {
  return fitStretches([{ text, tone }], width, look);
}

/** What stands before the chosen one of several lines, and before the others. */
export function pointerOf(isChosen: boolean, { unicode }: TextLook): string {
  return isChosen ? (unicode ? '› ' : '> ') : '  ';
}

/** So many of a list, the chosen one in the middle where that can be. `from`: the index of the first. */
export function windowAround<T>(
  all: readonly T[],
  chosen: number,
  count: number,
): { readonly from: number; readonly shown: readonly T[] } {
  const from = Math.max(0, Math.min(chosen - Math.floor(count / 2), all.length - count));
  return { from, shown: all.slice(from, from + count) };
}
