import type { Result } from '../../shape/result.ts';
import { toChunks } from './chunks.ts';
import { toSeparatedLines } from './separated-cells.ts';

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
export function* writeTsv(result: Result): Generator<string> {
  const { header, line } = toSeparatedLines(result, '\t', encodeCell);
  yield* toChunks(header, result.rowCount, line);
}
