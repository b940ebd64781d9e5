import { formatCount } from '../../shape/format/format-number.ts';

/** The message lists at most this many characters. */
const mostNamed = 10;

/** The message about characters that no font has, with a hint. */
export function describeMissingGlyphs(missing: readonly string[]): string {
  const named = missing.slice(0, mostNamed).join(' ');
  const more = missing.length > mostNamed ? ' …' : '';
  return (
    `The image shows empty boxes for ${formatCount(missing.length, 'character')} that its fonts do not have: ` +
    `${named}${more}. Write .svg or .html to use the fonts of the viewer.`
  );
}
