import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result.ts';
import { toBatch } from '../to-batch.ts';
import { toChunks, type RowForm } from './chunks.ts';
import { toSeparatedForm } from './separated-cells.ts';

const needsQuotes = /[",\r\n]/;

function encodeCell(text: string): string {
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Comma-separated values after RFC 4180, but for the line feed that ends a record. The header (column keys) always stands.
 * Null is an empty field, the empty text is `""`. Control characters are left out; see `toSafeCell` for formulas.
 */
export function toCsvForm(columns: readonly Column[]): RowForm {
  return toSeparatedForm(columns, ',', encodeCell);
}

/** A result in the form of `toCsvForm`. */
export function writeCsv(result: Result): Generator<string> {
  return toChunks(toCsvForm(result.columns), toBatch(result));
}
