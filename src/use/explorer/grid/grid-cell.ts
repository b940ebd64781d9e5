import type { Column, Value } from '../../../plan/column.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { isFilled, isPartial, toMarkLegend } from '../../../show/labels/mark-legend.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import type { Glyphs } from '../../../show/terminal/glyphs.ts';
import { type TextLook, paint, type Tone } from '../../../show/terminal/paint.ts';

/** The content of a cell before it is fitted to its width. */
interface DrawnCell {
  readonly text: string;
  readonly tone: Tone;
  readonly sign: string;
  readonly signTone: Tone;
}

/** No column is wider than this, so longer texts are cut before they are formatted. */
const longestText = 1000;

/** A value as sanitized text on one line. Cuts text that is longer than any column. */
export function textOfValue(value: Value, column: Column, glyphs: Glyphs): string {
  if (value === null) return glyphs.nothing;
  if (value === '') return '""';
  const short = typeof value === 'string' && value.length > longestText ? value.slice(0, longestText) : value;
  return sanitize(formatValue(short, column)) + (short === value ? '' : glyphs.ellipsis);
}

/** `flags` as in `GridRows`: the shown marks in the low four bits, all known marks in the high four. */
export function drawCell(value: Value, flags: number, column: Column, glyphs: Glyphs): DrawnCell {
  const shown = flags & 15;
  return {
    text: textOfValue(value, column, glyphs),
    tone: value === null || value === '' || isFilled(flags >> 4) ? 'quiet' : 'plain',
    sign:
      shown === 0
        ? ''
        : toMarkLegend(shown)
            .map(({ kind }) => glyphs[kind])
            .join(''),
    signTone: isPartial(shown) ? 'alert' : 'quiet',
  };
}

interface CellRoom {
  readonly width: number;
  /** True if room is reserved for a sign. */
  readonly isMarked: boolean;
  readonly isNumber: boolean;
  readonly isSelected: boolean;
}

/** Width of a sign in cells; after text it includes a space. */
export function signRoom(isNumber: boolean): number {
  return isNumber ? 1 : 2;
}

/** The cell, exactly `width` cells wide. A number is never cut, because its part would look like another number. */
export function placeCell(
  { text, tone, sign, signTone }: DrawnCell,
  { width, isMarked, isNumber, isSelected }: CellRoom,
  glyphs: Glyphs,
  look: TextLook,
): string {
  const signs = isMarked && width > signRoom(isNumber) + 1 ? signRoom(isNumber) : 0;
  const room = width - signs;
  const fitted = !isNumber
    ? truncateToCells(text, room, glyphs.ellipsis)
    : cellWidth(text) <= room
      ? text
      : truncateToCells(glyphs.ellipsis, room, '');
  const shownSign = truncateToCells(sign, Math.min(signs, 1), '');
  const signed = isNumber || shownSign === '' ? shownSign : ` ${shownSign}`;
  const spaces = ' '.repeat(Math.max(0, width - cellWidth(fitted) - (isNumber ? signs : cellWidth(signed))));
  const after = isNumber ? ' '.repeat(signs - cellWidth(signed)) : spaces;
  const before = isNumber ? spaces : '';
  if (isSelected) return paint(before + fitted + signed + after, 'selected', look);
  // Keep the sign next to its text: at the far right edge it would look unrelated.
  return before + paint(fitted, tone, look) + paint(signed, signTone, look) + after;
}

const unicodeBars = '▁▂▃▄▅▆▇█';
const asciiBars = '_.-=+*#@';

/** Counts as bars of one cell each, scaled to the largest; a blank for zero. */
export function drawSparkline(counts: readonly number[], { unicode }: Pick<TextLook, 'unicode'>): string {
  const bars = unicode ? unicodeBars : asciiBars;
  const most = counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  return counts
    .map((count) => (count <= 0 ? ' ' : bars[Math.min(bars.length - 1, Math.floor((count / most) * bars.length))]))
    .join('');
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Formats JSON of an object or a list over several lines; its numbers and texts stay as written. Returns undefined for
 * anything else.
 */
export function layOutJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text) || !isJson(text)) return undefined;
  let laid = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(tokens)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = before === '{' || before === '[';
    if (closes ? !opened : opened || before === ',') laid += line();
    laid += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return laid;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
