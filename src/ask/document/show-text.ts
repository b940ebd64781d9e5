/**
 * Text from anywhere, safe to print: control characters, direction overrides and lone surrogates are made visible
 * rather than obeyed, so that no text can move the cursor, recolour a terminal or reorder a line.
 */
export function showText(text: string): string {
  return text.toWellFormed().replace(unsafe, visibleCharacter);
}

// Controls, line separators, and all that is there but not seen, such as what turns the direction of writing. The two
// joiners stay: emoji and some scripts need them.
const unsafe = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A character that is not to be obeyed, as something that is seen: `␛`, `<U+202E>`. */
export function visibleCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
