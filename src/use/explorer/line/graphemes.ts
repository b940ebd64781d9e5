import { segmentsOf } from '../../../ask/graphemes.ts';

/** The nearest grapheme border before the offset; 0 at the beginning. */
export function borderBefore(text: string, at: number): number {
  return borderAt(text, Math.min(at, text.length + 1) - 1);
}

export function borderAfter(text: string, at: number): number {
  if (at + 1 >= text.length) return text.length;
  if (isPlain(text, at) && isPlain(text, at + 1)) return at + 1;
  const grapheme = graphemeAt(text, at);
  return grapheme ? grapheme.index + grapheme.segment.length : text.length;
}

/** The start of the grapheme at this offset. */
export function borderAt(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  // Two plain characters never join.
  return isPlain(text, at - 1) && isPlain(text, at) ? at : (graphemeAt(text, at)?.index ?? text.length);
}

/** The offset itself if it is a border, else the end of its grapheme. */
export function borderBehind(text: string, at: number): number {
  return borderAt(text, at) === at ? at : borderAfter(text, at);
}

/** Reads only text around the offset: a line may have millions of characters. */
function graphemeAt(text: string, at: number): Intl.SegmentData | undefined {
  return segmentsOf(text).containing(Math.max(0, at));
}

function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code <= 0x7e;
}

const inWord = /[\p{L}\p{M}\p{N}_]/u;
const blank = /\s/u;

/** Start of the word before the offset: letters, digits and the signs of names. */
export function wordBefore(text: string, at: number): number {
  const end = goBack(text, at, (character) => !inWord.test(character));
  return borderAt(
    text,
    goBack(text, end, (character) => inWord.test(character)),
  );
}

/** Start of the run without blanks before the offset; skips blanks right before it. */
export function stretchBefore(text: string, at: number): number {
  const end = goBack(text, at, (character) => blank.test(character));
  return borderAt(
    text,
    goBack(text, end, (character) => !blank.test(character)),
  );
}

/** Moves back over the characters that fit. A pattern ending in `$` would be tried at every character of the line. */
function goBack(text: string, at: number, fits: (character: string) => boolean): number {
  let place = at;
  while (place > 0) {
    const isPair = (text.codePointAt(place - 2) ?? 0) > 0xffff;
    const start = place - (isPair ? 2 : 1);
    if (!fits(text.slice(start, place))) break;
    place = start;
  }
  return place;
}

/** End of the word after the offset. */
export function wordAfter(text: string, at: number): number {
  return borderBehind(text, at + lengthOf(/^[^\p{L}\p{M}\p{N}_]*[\p{L}\p{M}\p{N}_]*/u.exec(text.slice(at))));
}

function lengthOf(match: RegExpExecArray | null): number {
  return match?.[0].length ?? 0;
}
