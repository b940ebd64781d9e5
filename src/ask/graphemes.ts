let segmenter: Intl.Segmenter | undefined;

/** The graphemes of a text with their offsets, and the one around an offset (`containing`). */
export function segmentsOf(text: string): Intl.Segments {
  // Created on first use, because Intl starts slowly.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Splits a text into characters as people see them: letters with their marks, joined emoji as one. */
export function* graphemes(text: string): Generator<string> {
  // Printable ASCII never joins. Line ends are excluded, because CR and LF are one grapheme.
  if (/^[\x20-\x7e]*$/.test(text)) yield* text;
  else for (const { segment } of segmentsOf(text)) yield segment;
}

/** Terminal cells of a grapheme: 2 for East Asian wide characters and emoji, 0 for combining characters. */
export function cellsOf(grapheme: string): number {
  if (grapheme === '' || /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme)) return 0;
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(grapheme)) return 2;
  return wide.test(grapheme) ? 2 : 1;
}

/** Terminal cells of a text. */
export function widthOf(text: string): number {
  let cells = 0;
  for (const grapheme of graphemes(text)) cells += cellsOf(grapheme);
  return cells;
}

// Unicode East Asian Width W and F, by block.
const wide = new RegExp(
  '^[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f' +
    '\\uff01-\\uff60\\uffe0-\\uffe6\\u{17000}-\\u{18cff}\\u{1b000}-\\u{1b2ff}\\u{20000}-\\u{3fffd}]',
  'u',
);
