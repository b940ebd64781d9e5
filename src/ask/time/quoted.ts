const longest = 60;

/** Text of a person's as a message quotes it: shortened, with its control characters made visible. */
export function quoted(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `"${short.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)}"`;
}
