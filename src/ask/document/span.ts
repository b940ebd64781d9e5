import type { Span } from '../outcome.ts';

/** The span of `text` from `start` to `end` (exclusive), both in UTF-16 units and cut to the text. */
export function toSpan(text: string, start: number, end: number): Span {
  const from = clamp(start, 0, text.length);
  const lineStart = text.lastIndexOf('\n', from - 1) + (from === 0 ? 0 : 1);
  return {
    start: from,
    end: clamp(end, from, text.length),
    line: countBreaks(text, from) + 1,
    column: from - (from === 0 ? 0 : lineStart) + 1,
  };
}

function countBreaks(text: string, end: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) breaks += 1;
  return breaks;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
