/**
 * The name of a definition (a funnel, for example), from its file's name without folder and extension:
 * `Checkout Flow.yml` → `checkout_flow`. Letters become ASCII. Each run of characters other than letters, digits, `-`
 * and `_` becomes one `_`. Runs of `_` become one, and none stays at either end. The name is in lower case, and `-`
 * becomes `_`. The platform uses this rule. A slug that is empty or begins with a digit names no cube.
 */
export function toDefinitionSlug(fileName: string): string {
  return toAscii(withoutEnding(fileName))
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
    .replaceAll('-', '_');
}

function withoutEnding(fileName: string): string {
  return fileName.replace(/\.(?:ya?ml|json)$/i, '');
}

/** Removes the marks of letters. Characters without an ASCII form stay, and become separators later. */
function toAscii(text: string): string {
  return text
    .normalize('NFC')
    .replace(
      /[^\0-\x7f]/gu,
      (letter) => unlikeAscii[letter] ?? /^[a-zA-Z]+(?=\p{M}+$)/u.exec(letter.normalize('NFD'))?.[0] ?? letter,
    );
}

/** Latin letters that do not decompose into an ASCII letter and a mark. */
const unlikeAscii: Readonly<Record<string, string>> = {
  Æ: 'AE',
  æ: 'ae',
  Ð: 'D',
  ð: 'd',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  Ĳ: 'IJ',
  ĳ: 'ij',
  ĸ: 'k',
  Ł: 'L',
  ł: 'l',
  Ŀ: 'L',
  ŀ: 'l',
  ŉ: "'n",
  Ŋ: 'NG',
  ŋ: 'ng',
  Ø: 'O',
  ø: 'o',
  Œ: 'OE',
  œ: 'oe',
  ß: 'ss',
  ẞ: 'SS',
  ſ: 's',
  Þ: 'Th',
  þ: 'th',
  Ŧ: 'T',
  ŧ: 't',
  '×': 'x',
};
