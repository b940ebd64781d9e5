let segmenter: Intl.Segmenter | undefined;

/** Where graphemes begin, and the end of the text. */
export function bordersOf(text: string): readonly number[] {
  if (/^[\x20-\x7e]*$/.test(text)) return Array.from({ length: text.length + 1 }, (_, index) => index);
  segmenter ??= new Intl.Segmenter();
  return [...Array.from(segmenter.segment(text), ({ index }) => index), text.length];
}

/** The nearest border before the place; 0 at the beginning. */
export function borderBefore(text: string, at: number): number {
  return bordersOf(text).findLast((border) => border < at) ?? 0;
}

export function borderAfter(text: string, at: number): number {
  return bordersOf(text).find((border) => border > at) ?? text.length;
}

/** The place itself where a grapheme begins there, else the beginning of the one that it is in. */
export function borderAt(text: string, at: number): number {
  return bordersOf(text).findLast((border) => border <= at) ?? 0;
}

/** The place itself, or the end of the grapheme that it is in. */
export function borderBehind(text: string, at: number): number {
  return borderAt(text, at) === at ? at : borderAfter(text, at);
}

/** Where the word before the place begins: letters, digits and what names are made of. */
export function wordBefore(text: string, at: number): number {
  return borderAt(text, at - lengthOf(/[\p{L}\p{M}\p{N}_]*[^\p{L}\p{M}\p{N}_]*$/u.exec(text.slice(0, at))));
}

/** Where the word behind the place ends. */
export function wordAfter(text: string, at: number): number {
  return borderBehind(text, at + lengthOf(/^[^\p{L}\p{M}\p{N}_]*[\p{L}\p{M}\p{N}_]*/u.exec(text.slice(at))));
}

/** Where the stretch without blanks before the place begins, blanks right before it included. */
export function stretchBefore(text: string, at: number): number {
  return borderAt(text, at - lengthOf(/\S*\s*$/u.exec(text.slice(0, at))));
}

function lengthOf(match: RegExpExecArray | null): number {
  return match?.[0].length ?? 0;
}
