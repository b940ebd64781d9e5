/** The signs that a table is drawn with, each one cell wide (the ASCII ellipsis: three). */
export interface Glyphs {
  readonly rule: string;
  readonly ellipsis: string;
  readonly nothing: string;
  readonly filled: string;
  readonly filledOrZero: string;
  readonly partial: string;
  /** An increase and a decrease. */
  readonly up: string;
  readonly down: string;
}

export const unicodeGlyphs: Glyphs = {
  rule: '─',
  ellipsis: '…',
  nothing: '–',
  filled: '·',
  filledOrZero: '?',
  partial: '~',
  up: '▲',
  down: '▼',
};

export const asciiGlyphs: Glyphs = {
  rule: '-',
  ellipsis: '...',
  nothing: '-',
  filled: '.',
  filledOrZero: '?',
  partial: '~',
  up: '^',
  down: 'v',
};

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar in proportion to the longest one. Any count above 0 is visible. */
export function drawBar(count: number, top: number, cells: number, unicode: boolean): string {
  if (count <= 0 || top <= 0 || cells === 0) return '';
  const parts = Math.max(1, Math.round((count / top) * cells * 8));
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(parts / 8)));
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

/** Cells between two columns of a table. */
export const gap = 2;
