/** The few signs that a table is drawn with, each one cell wide (the ASCII ellipsis: three). */
export interface Glyphs {
  readonly rule: string;
  readonly ellipsis: string;
  readonly nothing: string;
  readonly filled: string;
  readonly filledOrZero: string;
  readonly partial: string;
}

export const unicodeGlyphs: Glyphs = {
  rule: '─',
  ellipsis: '…',
  nothing: '–',
  filled: '·',
  filledOrZero: '?',
  partial: '~',
};

export const asciiGlyphs: Glyphs = {
  rule: '-',
  ellipsis: '...',
  nothing: '-',
  filled: '.',
  filledOrZero: '?',
  partial: '~',
};
