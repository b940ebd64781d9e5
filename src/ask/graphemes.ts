let segmenter: Intl.Segmenter | undefined;

/** The graphemes of a text with their places, and the one around a place (`containing`). */
export function segmentsOf(text: string): Intl.Segments {
  // Made when it is needed: Intl takes a while to start.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The characters of a text as people see them: letters with their marks, joined emoji as one. */
export function* graphemes(text: string): Generator<string> {
  // Nothing joins these. Line ends are not among them: CR and LF are one grapheme.
  if (/^[\x20-\x7e]*$/.test(text)) yield* text;
  else for (const { segment } of segmentsOf(text)) yield segment;
}
