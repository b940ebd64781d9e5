// Cc, Cf, lone surrogates, line separators, and whatever else is there but not seen.
const suspicious = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const control = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;
// Joiners and variation selectors mean something only inside an emoji; there they stay.
// Made when it is needed: the engine takes ten milliseconds over this one.
let emoji: RegExp | undefined;

const leadingMark = /^\p{M}/u;
// More marks on one letter than any script needs would reach into the lines above and below.
const markPile = /(\p{M}{4})\p{M}+/gu;

/**
 * A text from anywhere as one harmless line: nothing in it moves the cursor, changes colours, turns or hides other
 * text.
 * Line breaks and tabs become `↵` and `⇥`, other control characters their pictures (`␛`), lone surrogates `�`;
 * invisible characters, such as the ones that turn the direction of writing, are left out.
 */
export function sanitize(text: string): string {
  const seen = suspicious.test(text) ? replaceSuspicious(text) : text;
  // A mark without a letter would join what stands before the text.
  const led = leadingMark.test(seen) ? `◌${seen}` : seen;
  return led.replace(markPile, '$1');
}

/** A text of several lines as harmless ones; tabs stay. */
export function sanitizeLines(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part : sanitize(part)))
    .join('');
}

function replaceSuspicious(text: string): string {
  let clean = '';
  let end = 0;
  emoji ??= /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?/gv;
  for (const match of text.matchAll(emoji)) {
    clean += text.slice(end, match.index).replace(unseen, '') + match[0];
    end = match.index + match[0].length;
  }
  clean += text.slice(end).replace(unseen, '');
  return clean.replaceAll('\r\n', '↵').replace(control, toPicture);
}

function toPicture(character: string): string {
  if (character === '\n' || character === '\r' || character === '\u2028' || character === '\u2029') return '↵';
  if (character === '\t') return '⇥';
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : '\ufffd';
}
