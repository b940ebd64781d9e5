import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { type RowForm, toChunks } from './chunks.ts';
import { toBatch } from './to-batch.ts';
import { toSeparatedForm } from './write-csv.ts';

const special = /[\t\n\r\\]/g;
const needsEscape = /[\t\n\r\\]/;
const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function encodeCell(text: string): string {
  if (text === '') return '""';
  const escaped = needsEscape.test(text) ? text.replace(special, (character) => escapes[character] ?? character) : text;
  // A quote that opens a cell would be read as quoting it, and `""` stands for the empty text.
  return escaped.startsWith('"') ? `\\${escaped}` : escaped;
}

/**
 * Tab-separated values: always one line a row. Tab, line feed, carriage return and backslash are written `\t \n \r \\`,
 * a quote at the start `\"`. Null is an empty field, the empty text is `""`. The header (column keys) always stands.
 */
export function toTsvForm(columns: readonly Column[]): RowForm {
  return toSeparatedForm(columns, '\t', encodeCell);
}

/** A result in the form of `toTsvForm`. */
export function writeTsv(result: Result): Generator<string> {
  return toChunks(toTsvForm(result.columns), toBatch(result));
}
