import { graphemes } from '../../ask/graphemes.ts';
import { type TextStyle, textWidth } from './text-width.ts';

/** The text if it is narrower than so many pixels, else as much of its beginning as is with the ellipsis after it. */
export function cutText(text: string, pixels: number, style: TextStyle, ellipsis = '…'): string {
  if (textWidth(text, style) < pixels) return text;
  const parts = [...graphemes(text)];
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (textWidth(parts.slice(0, middle).join('').trimEnd() + ellipsis, style) < pixels) low = middle;
    else high = middle - 1;
  }
  return parts.slice(0, low).join('').trimEnd() + ellipsis;
}
