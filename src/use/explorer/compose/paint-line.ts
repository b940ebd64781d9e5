import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { type TextLook, paint, type Tone } from '../../../show/terminal/paint.ts';

/** A text with its tone, before it is cut to the available width. */
export interface Stretch {
  readonly text: string;
  readonly tone: Tone;
}

export function ellipsisOf({ unicode }: TextLook): string {
  return unicode ? '…' : '...';
}

/** Untrusted texts side by side, sanitized and cut to `width` cells. */
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

/** An untrusted text, sanitized and wrapped between words into at most `most` lines. */
export function fitLines(text: string, tone: Tone, width: number, most: number, look: TextLook): readonly string[] {
  return wrapWords(sanitize(text), width, { ellipsis: ellipsisOf(look), mostLines: most }).map((line) =>
    paint(line, tone, look),
  );
}

/** Texts at the left and the right edge; the right one is shortened if both do not fit. */
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

/** One untrusted text, sanitized and cut to `width` cells. */
export function fitText(text: string, tone: Tone, width: number, look: TextLook): string {
  return fitStretches([{ text, tone }], width, look);
}

/** The marker before the chosen line of several, or blanks before the others. */
export function pointerOf(isChosen: boolean, { unicode }: TextLook): string {
  return isChosen ? (unicode ? '› ' : '> ') : '  ';
}

/** `count` items of a list with the chosen one in the middle if possible. `from`: the index of the first. */
export function windowAround<T>(
  all: readonly T[],
  chosen: number,
  count: number,
): { readonly from: number; readonly shown: readonly T[] } {
  const from = Math.max(0, Math.min(chosen - Math.floor(count / 2), all.length - count));
  return { from, shown: all.slice(from, from + count) };
}
