// Cc, Cf, lone surrogates, line separators, and other invisible characters.
const suspicious = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const control = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;
// Joiners and variation selectors have a meaning only inside an emoji, where they stay. The expression is created when
// needed, because compiling it takes ten milliseconds.
let emoji: RegExp | undefined;

const leadingMark = /^\p{M}/u;
// More marks on one letter than any script needs would overlap the lines above and below.
const markPile = /(\p{M}{4})\p{M}+/gu;

/**
 * Turns hostile text into one harmless line: it cannot move the cursor, change colours, or reverse or hide other text.
 * Line breaks and tabs become `↵` and `⇥`, other control characters their pictures (`␛`), lone surrogates `�`.
 * Invisible characters, such as bidirectional controls, are removed.
 */
export function sanitize(text: string): string {
  const seen = suspicious.test(text) ? replaceSuspicious(text) : text;
  // A leading mark would combine with the character before the text.
  const led = leadingMark.test(seen) ? `◌${seen}` : seen;
  return led.replace(markPile, '$1');
}

/** Sanitizes text of several lines. Tabs stay. */
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
