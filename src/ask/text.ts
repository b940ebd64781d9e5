/** The singular or plural of a word: `plural(1, 'line')` is `line`, `plural(2, 'is', 'are')` is `are`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/**
 * Makes any text safe to print. Control characters, direction overrides and lone surrogates become visible, so that no
 * text can move the cursor, recolour a terminal or reorder a line.
 */
export function showText(text: string): string {
  return text.toWellFormed().replace(unsafe, visibleCharacter);
}

// Controls, line separators and invisible characters, such as those that change the direction of writing. Keeps the two
// joiners: emoji and some scripts need them.
const unsafe = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A visible replacement for a control or invisible character: `␛`, `<U+202E>`. */
function visibleCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const longest = 60;

/** Quotes any text for a message: in double quotes, cut if it is long, without invisible characters. */
export function quote(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `"${showText(short).replace(/[\u200c\u200d]/g, visibleCharacter)}"`;
}

/** A text as one word of a command line, quoted if a shell would interpret it. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A heading within a sentence: `Page views` becomes `page views`, `URL` stays. */
export function withinSentence(heading: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(heading) ? heading.charAt(0).toLowerCase() + heading.slice(1) : heading;
}

/** The text with its first letter as a capital. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
