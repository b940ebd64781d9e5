import { graphemes } from '../../ask/graphemes.ts';
import { arabicForms, arabicWidths, chineseWidths, emojiWidths, heavyWidths, sansWidths } from './font-widths.ts';
import { type FontName, heavyWeight } from './fonts.ts';

interface Letter {
  readonly widths: readonly [alone: number, atEnd: number, atStart: number, inside: number];
  /** True if the letter changes its form after, or before, another letter. */
  readonly joinsBefore: boolean;
  readonly joinsAfter: boolean;
}

const joiner = 0x640;
const zeroWidthJoiner = 0x200d;

let letters: ReadonlyMap<number, Letter> | undefined;

function readLetters(): ReadonlyMap<number, Letter> {
  return new Map(
    arabicForms
      .trim()
      .split(/\s/)
      .map((entry) => {
        const [code = 0, alone = 0, atEnd = 0, atStart = 0, inside = 0] = entry
          .split('.')
          .map((digits) => parseInt(digits, 36));
        const joins = code === joiner;
        return [
          code,
          {
            widths: [alone, atEnd, atStart, inside],
            joinsBefore: joins || atEnd !== alone,
            joinsAfter: joins || atStart !== alone,
          },
        ];
      }),
  );
}

/** True if the font has forms for this letter, with widths that depend on its neighbours. */
function isArabicLetter(code: number): boolean {
  return (letters ??= readLetters()).has(code);
}

/** Width of a letter between two others, in thousandths of an em. Marks are not letters and have no width. */
function arabicWidth(code: number, before: number | undefined, after: number | undefined): number {
  letters ??= readLetters();
  const letter = letters.get(code);
  if (!letter) return 0;
  const joinedBefore =
    letter.joinsBefore && (before === zeroWidthJoiner || letters.get(before ?? 0)?.joinsAfter === true);
  const joinedAfter = letter.joinsAfter && (after === zeroWidthJoiner || letters.get(after ?? 0)?.joinsBefore === true);
  return letter.widths[(joinedBefore ? 1 : 0) + (joinedAfter ? 2 : 0)] ?? 0;
}

/** Widths by code point in the format of `font-widths.ts`: `gap+count*width` for a run of equal widths, in base 36. */
interface GlyphTable {
  /** Undefined if the font has no such glyph. */
  width(code: number): number | undefined;
}

const smallest = 0x500;

function readGlyphTable(text: string): GlyphTable {
  const starts: number[] = [];
  const ends: number[] = [];
  const widths: number[] = [];
  let next = 0;
  for (const [, gap, count, width] of text.matchAll(/(?:(\w+)\+)?(?:(\w+)\*)?(\w+)/g)) {
    const start = next + (gap ? parseInt(gap, 36) : 0);
    next = start + (count ? parseInt(count, 36) : 1);
    starts.push(start);
    ends.push(next);
    widths.push(parseInt(width as string, 36));
  }
  const search = (code: number): number | undefined => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= code) low = middle + 1;
      else high = middle;
    }
    return low > 0 && code < (ends[low - 1] as number) ? widths[low - 1] : undefined;
  };
  // Most texts contain only these.
  const known = Array.from({ length: smallest }, (_, code) => search(code));
  return { width: (code) => (code < smallest ? known[code] : search(code)) };
}

export interface TextStyle {
  /** Font size in pixels. */
  readonly size: number;
  /** `bold`, or a number from 1 to 1000 (default: regular). */
  readonly weight?: string | number | undefined;
}

/**
 * Thousandths of an em for characters in none of the fonts. Viewers use another font, and few of its glyphs are wider.
 */
const unknownWidth = 1200;
const wideLetter = /\p{Script=Hangul}/u;
const noWidth = /[\p{M}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;
const mark = /\p{M}/u;

const texts = {
  sans: sansWidths,
  heavy: heavyWidths,
  arabic: arabicWidths,
  chinese: chineseWidths,
  emoji: emojiWidths,
};
const tables = new Map<keyof typeof texts, GlyphTable>();

function tableOf(name: keyof typeof texts): GlyphTable {
  let table = tables.get(name);
  if (!table) tables.set(name, (table = readGlyphTable(texts[name])));
  return table;
}

/**
 * Width of one line of text in pixels, in the bundled fonts, without kerning. Arabic letters have the widths of their
 * joined forms. A joined emoji or a flag counts once.
 */
export function textWidth(text: string, { size, weight }: TextStyle): number {
  const table = tableOf(isHeavy(weight) ? 'heavy' : 'sans');
  let width = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const known = code < 0x300 ? table.width(code) : undefined;
    if (known === undefined) return ((width + widthOfRest(text.slice(index), table)) * size) / 1000;
    width += known;
  }
  return (width * size) / 1000;
}

function widthOfRest(text: string, table: GlyphTable): number {
  const codes = Array.from(text, (character) => character.codePointAt(0) as number);
  let width = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] as number;
    if (isArabicLetter(code)) {
      width += arabicWidth(code, neighbour(codes, index, -1), neighbour(codes, index, 1));
    } else if (isRegionalIndicator(code) && isRegionalIndicator(codes[index + 1])) {
      width += widthOfGlyph(code, table);
      index += 1;
    } else if (codes[index - 1] !== zeroWidthJoiner || !isPictograph(codes[index - 2]) || !isPictograph(code)) {
      width += widthOfGlyph(code, table);
    }
  }
  return width;
}

function widthOfGlyph(code: number, table: GlyphTable): number {
  const character = String.fromCodePoint(code);
  if (noWidth.test(character)) return mark.test(character) ? (table.width(code) ?? 0) : 0;
  return (
    table.width(code) ??
    tableOf('arabic').width(code) ??
    tableOf('chinese').width(code) ??
    tableOf('emoji').width(code) ??
    (wideLetter.test(character) ? 1000 : unknownWidth)
  );
}

/** The next letter in this direction. Marks above and below do not separate letters. */
function neighbour(codes: readonly number[], index: number, step: 1 | -1): number | undefined {
  let at = index + step;
  while (codes[at] !== undefined && mark.test(String.fromCodePoint(codes[at] as number))) at += step;
  return codes[at];
}

function isPictograph(code: number | undefined): boolean {
  return code !== undefined && /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u.test(String.fromCodePoint(code));
}

function isRegionalIndicator(code: number | undefined): boolean {
  return code !== undefined && code >= 0x1f1e6 && code <= 0x1f1ff;
}

export function isHeavy(weight: string | number | undefined): boolean {
  return weight === 'bold' || weight === 'bolder' || Number(weight) >= heavyWeight;
}

/** The first font with a glyph for this character; undefined if there is none. */
export function fontOf(character: string): FontName | undefined {
  return (['noto-sans', 'noto-sans-arabic', 'noto-sans-sc', 'noto-emoji'] as const).find((font) =>
    knowsGlyph(font, character),
  );
}

function knowsGlyph(font: FontName, character: string): boolean {
  const code = character.codePointAt(0) as number;
  const names = {
    'noto-sans': 'sans',
    'noto-sans-semibold': 'heavy',
    'noto-sans-arabic': 'arabic',
    'noto-sans-sc': 'chinese',
    'noto-emoji': 'emoji',
  } as const;
  return tableOf(names[font]).width(code) !== undefined || (font === 'noto-sans-arabic' && isArabicLetter(code));
}

/** True if the font draws this character. All fonts but the emoji font have digits, spaces and punctuation. */
export function hasGlyph(font: FontName, character: string): boolean {
  return knowsGlyph(font, character) || (font !== 'noto-emoji' && /[\s\d.,:;!?()/%+-]/.test(character));
}

/** The text if it is narrower than this many pixels, else its beginning with an ellipsis. */
export function cutText(text: string, pixels: number, style: TextStyle, ellipsis = '…'): string {
  if (textWidth(text, style) < pixels) return text;
  const parts = [...graphemes(text)];
  // The text may have been cut in its middle already.
  const beginning = (count: number) =>
    parts
      .slice(0, count)
      .join('')
      .replace(/[\s…]+$/, '') + ellipsis;
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (textWidth(beginning(middle), style) < pixels) low = middle;
    else high = middle - 1;
  }
  return beginning(low);
}
