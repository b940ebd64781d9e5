import { sanitize } from '../../../show/sanitize.ts';
import { cellWidth } from '../../../show/terminal/cell-width.ts';

let segmenter: Intl.Segmenter | undefined;

/** A text of several lines as harmless lines of at most so many cells, nothing left out: broken at blanks where there are any, made one after the other. */
export function* wrapText(text: string, cells: number): Generator<string> {
  for (const line of linesOf(text)) yield* wrapLine(sanitize(line.replaceAll('\t', '    ')), Math.max(1, cells));
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (const match of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    yield text.slice(start, match.index);
    start = match.index + match[0].length;
  }
  yield text.slice(start);
}

function* wrapLine(text: string, cells: number): Generator<string> {
  if (text.length <= cells && cellWidth(text) <= cells) {
    yield text;
    return;
  }
  segmenter ??= new Intl.Segmenter();
  let line = '';
  let width = 0;
  let blank = -1;
  for (const { segment } of segmenter.segment(text)) {
    const next = cellWidth(segment);
    if (width + next > cells && line !== '') {
      // Far back, a blank would leave half of the line empty.
      const at = blank > line.length / 2 ? blank : line.length;
      yield line.slice(0, at);
      line = line.slice(at).replace(/^ /, '');
      width = cellWidth(line);
      blank = -1;
    }
    // Too wide for any line of this width.
    if (next > cells) continue;
    if (segment === ' ') blank = line.length;
    line += segment;
    width += next;
  }
  yield line;
}
