import { graphemes } from '../../ask/graphemes.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatValue } from '../../shape/format/format.ts';
import { cellWidth, truncateToCells } from '../labels/cell-width.ts';
import { sanitize } from '../labels/sanitize.ts';

/** Longer names would leave no room for what they name. */
const mostCells = 40;
/** Enough for what is shown of it, and no text is so long that looking at it takes time. */
const mostCharacters = 2000;

/** Harmless, on one line, and not without end. */
export function toShownText(text: string): string {
  return sanitize(text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text);
}

/** A value as a name, cut in its middle where it is long: addresses differ at their ends. */
export function toName(value: Value, column: Column): string {
  const text = value === '' ? '""' : toShownText(formatValue(value, column));
  // Vega keeps groups in plain objects, in which this name is no name.
  return text === '__proto__' ? '"__proto__"' : shorten(text);
}

/** The same names, a number behind those that would be another's. */
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
