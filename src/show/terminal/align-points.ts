import type { Span } from './table-line.ts';

const tail = /\.[\d]*%?$|%$/;

/** Numbers with spaces after them, so that flush right their ones stand below each other. */
export function alignPoints(values: readonly Span[]): readonly Span[] {
  const tails = values.map(({ text }) => tail.exec(text)?.[0].length ?? 0);
  const longest = tails.reduce((most, length) => Math.max(most, length), 0);
  if (longest === 0) return values;
  return values.map((value, index) => ({ ...value, text: value.text + ' '.repeat(longest - (tails[index] as number)) }));
}
