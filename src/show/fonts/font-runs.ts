import type { FontName } from './fonts.ts';
import { fontOf, hasGlyph } from './text-width.ts';

/** A run of text that one font draws. */
interface FontRun {
  readonly font: FontName;
  readonly text: string;
}

// Characters that join the preceding one: marks, joiners, variation selectors, skin tones.
const dependent = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;
// Spaces, signs and digits belong to no script.
const neutral = /[^\p{L}\p{Extended_Pictographic}]|[\d©®™]/u;
const shownAsEmoji = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f/u;

/** Splits a text into runs by font. Characters in no font go to the first font, which draws boxes for them. */
export function toFontRuns(text: string): readonly FontRun[] {
  const runs: { font: FontName; text: string }[] = [];
  let at = 0;
  for (const character of text) {
    const last = runs.at(-1);
    const font =
      shownAsEmoji.test(text.slice(at, at + 4)) && hasGlyph('noto-emoji', character)
        ? 'noto-emoji'
        : (fontOf(character) ?? 'noto-sans');
    at += character.length;
    if (
      last &&
      (last.font === font || dependent.test(character) || (neutral.test(character) && hasGlyph(last.font, character)))
    )
      last.text += character;
    else runs.push({ font, text: character });
  }
  return runs;
}

const simple = /^[\x20-\x7e\n]*$/;
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

interface NeededFonts {
  readonly fonts: readonly FontName[];
  /** Characters in none of the fonts, each once. They are drawn as empty boxes. */
  readonly missing: readonly string[];
}

/** The fonts that a picture needs. Other fonts stay closed: one of them has ten megabytes. */
export function toNeededFonts(svg: string): NeededFonts {
  const fonts = new Set<FontName>(['noto-sans', 'noto-sans-semibold']);
  const missing: string[] = [];
  if (simple.test(svg)) return { fonts: [...fonts], missing };
  const shown = svg.replace(/<(title|desc)>[^<]*<\/\1>/g, '');
  for (const character of new Set(shown.replace(/[\x20-\x7e\n]+/g, ''))) {
    const font = fontOf(character);
    if (font) fonts.add(font);
    else if (!unseen.test(character)) missing.push(character);
  }
  return { fonts: [...fonts], missing: missing.sort() };
}
