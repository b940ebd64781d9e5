/**
 * The name of what a file defines (a funnel, for example), from the name of the file without folder and ending:
 * `Checkout Flow.yml` → `checkout_flow`. Letters become ASCII, every run of other characters than letters, digits, `-`
 * and `_` one `_`, runs of `_` one, none at the ends, all in lower case, and at last `-` becomes `_`. Source: what the
 * platform makes of file names. It may be empty, or begin with a digit: then it names no cube.
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
  return fileName.replace(/\.ya?ml$/i, '');
}

/** Letters without their marks; what has no ASCII form stays, and so becomes a separator. */
function toAscii(text: string): string {
  return text
    .normalize('NFC')
    .replace(
      /[^\0-\x7f]/gu,
      (letter) => unlikeAscii[letter] ?? /^[a-zA-Z]+(?=\p{M}+$)/u.exec(letter.normalize('NFD'))?.[0] ?? letter,
    );
}

/** Latin letters that are more than an ASCII letter with a mark. */
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
