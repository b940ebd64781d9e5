import { graphemes } from '../../ask/graphemes.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import { cellWidth, truncateToCells } from '../labels/cell-width.ts';
import { sanitize } from '../labels/sanitize.ts';

/** Longer names would leave no room for the chart. */
const mostCells = 40;
/** More than a picture ever shows, and little enough to measure fast. */
const mostCharacters = 2000;

/** Sanitizes a text, and limits it to one line of `mostCharacters`. */
export function toShownText(text: string): string {
  return sanitize(text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text);
}

/** Formats a value as a name. Long names are cut in the middle, because addresses differ at their ends. */
export function toName(value: Value, column: Column): string {
  const text = value === '' ? '""' : toShownText(formatValue(value, column));
  // Vega keeps groups in plain objects, which cannot have a key of this name.
  return text === '__proto__' ? '"__proto__"' : shorten(text);
}

/** Formats the value of a mark. Marks have floats, which do not keep the last digits of larger numbers: `2.62e+17`. */
export function formatDrawn(value: number, format: string | undefined): string {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? formatNumber(value, format)
    : Number(value.toPrecision(3)).toExponential();
}

/** Makes names unique by adding numbers to repeated ones. */
export function toDistinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let count = 2; taken.has(distinct); count += 1) distinct = `${name} (${count})`;
    taken.add(distinct);
    return distinct;
  });
}

function shorten(text: string): string {
  if (cellWidth(text) <= mostCells) return text;
  const tail = [...graphemes(text)].slice(-Math.floor(mostCells / 3)).join('');
  return `${truncateToCells(text, mostCells - Math.min(cellWidth(tail), mostCells / 2), '…')}${truncateTail(tail)}`;
}

function truncateTail(tail: string): string {
  if (cellWidth(tail) <= mostCells / 2) return tail;
  const segments = [...graphemes(tail)];
  while (segments.length > 0 && cellWidth(segments.join('')) > mostCells / 2) segments.shift();
  return segments.join('');
}
