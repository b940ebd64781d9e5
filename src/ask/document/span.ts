import type { Span } from '../outcome.ts';

/** The span of `text` from `start` to `end` (exclusive), both in UTF-16 units and cut to the text. */
export function toSpan(text: string, start: number, end: number): Span {
  const from = clamp(start, 0, text.length);
  const starts = lineStartsOf(text);
  let line = 0;
  for (let after = starts.length; after - line > 1; ) {
    const middle = (line + after) >> 1;
    if ((starts[middle] as number) <= from) line = middle;
    else after = middle;
  }
  return {
    start: from,
    end: clamp(end, from, text.length),
    line: line + 1,
    column: from - (starts[line] as number) + 1,
  };
}

/** The text that was asked about last: one text may hold thousands of issues. */
let known: { readonly text: string; readonly starts: readonly number[] } | undefined;

function lineStartsOf(text: string): readonly number[] {
  if (known?.text === text) return known.starts;
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  known = { text, starts };
  return starts;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
