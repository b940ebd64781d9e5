import type { FontName } from './fonts.ts';
import { fontOf } from './text-width.ts';

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
