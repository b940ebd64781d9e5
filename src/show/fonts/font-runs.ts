import type { FontName } from './fonts.ts';
import { fontOf, hasGlyph } from './text-width.ts';

/** A stretch of text that one font draws. */
export interface FontRun {
  readonly font: FontName;
  readonly text: string;
}

// Joined to what stands before: marks, joiners, variation selectors, skin tones.
const dependent = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;
// Spaces, signs and digits have no script of their own.
const neutral = /[^\p{L}\p{Extended_Pictographic}]|[\d©®™]/u;
const shownAsEmoji = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f/u;

/** A text by the fonts that draw it, in its order. What no font has goes to the first, which draws boxes for it. */
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

export interface NeededFonts {
  readonly fonts: readonly FontName[];
  /** Characters that none of the fonts has, each once: they are drawn as empty boxes. */
  readonly missing: readonly string[];
}

/** What the texts of a picture need, so that no font is opened for nothing: one of them has ten megabytes. */
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
