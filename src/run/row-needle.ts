/**
 * What a text that is looked for in any cell is in columns of numbers, which are read with commas and written without;
 * undefined: no number holds it.
 */
export function toNumberNeedle(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  if (plain === '' || !/^[-+.\de,]+$/.test(plain)) return undefined;
  return plain.replaceAll(/(?<=\d),(?=\d)/g, '');
}

/** What times are compared with: `2024-03-08T10:00Z` as `2024-03-08 10:00`. */
export function toTimeNeedle(text: string): string {
  return text
    .trim()
    .replace(/^(\d{4,}-\d\d-\d\d)[tT]/, '$1 ')
    .replace(/(?:\.\d*)?[zZ]?$/, '');
}
