/**
 * Converts a search text for columns of numbers, which are displayed with commas and stored without; undefined if no
 * number can contain it.
 */
export function toNumberNeedle(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  if (plain === '' || !/^[-+.\de,]+$/.test(plain)) return undefined;
  return plain.replaceAll(/(?<=\d),(?=\d)/g, '');
}

/** Converts a search text for times: `2024-03-08T10:00Z` becomes `2024-03-08 10:00`. */
export function toTimeNeedle(text: string): string {
  return text
    .trim()
    .replace(/^(\d{4,}-\d\d-\d\d)[tT]/, '$1 ')
    .replace(/(?:\.\d*)?[zZ]?$/, '');
}
