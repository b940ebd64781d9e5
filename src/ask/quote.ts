import { showText, visibleCharacter } from './document/show-text.ts';

const longest = 60;

/** Text from anywhere as messages quote it: in double quotes, cut where it is long, nothing in it unseen. */
export function quote(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `"${showText(short).replace(/[\u200c\u200d]/g, visibleCharacter)}"`;
}
