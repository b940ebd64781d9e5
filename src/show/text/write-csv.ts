import type { Result } from '../../shape/result.ts';
import { toChunks } from './chunks.ts';
import { toSeparatedLines } from './separated-cells.ts';

const needsQuotes = /[",\r\n]/;

function encodeCell(text: string): string {
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Comma-separated values after RFC 4180, but for the line feed that ends a record. The header (column keys) always stands.
 * Null is an empty field, the empty text is `""`. Control characters are left out; see `toSafeCell` for formulas.
 */
export function* writeCsv(result: Result): Generator<string> {
  const { header, line } = toSeparatedLines(result, ',', encodeCell);
  yield* toChunks(header, result.rowCount, line);
}
