/**
 * Text from anywhere, safe to print: control characters, direction overrides and lone surrogates are made visible
 * rather than obeyed, so that no text can move the cursor, recolour a terminal or reorder a line.
 */
export function showText(text: string): string {
  return text.toWellFormed().replace(unsafe, visibleCharacter);
}

// C0, DEL and C1; the characters that turn the direction of writing; line separators; zero width and BOM.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function visibleCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
