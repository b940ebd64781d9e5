import { plainNumber, quoteCell, toSafeCell } from '../../ask/safe-cell.ts';
import type { Column, Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Values } from '../../shape/values/values.ts';
import { type RowForm, toChunks, toBatch, remember } from './chunks.ts';

/** Writes a column of a separated format: null is an empty field, and `encode` is applied to every text. */
function toSeparatedCells(encode: (text: string) => string): (values: Values) => (row: number) => string {
  const encodeOnce = remember((text) => (plainNumber.test(text) ? text : encode(text)));
  return (values) => {
    if (values instanceof Float64Array) return (row) => String(values[row]);
    return (row) => {
      const value: Value = values[row] ?? null;
      if (value === null) return '';
      return typeof value === 'string' ? encodeOnce(value) : String(value);
    };
  };
}

export interface SeparatedOptions {
  /** Keep every character, for programs. By default, cells are safe to open in a spreadsheet: see `toSafeCell`. */
  readonly rawCells?: boolean | undefined;
}

/** Header and rows of a separated format. Lines end with a line feed. */
function toSeparatedForm(
  columns: readonly Column[],
  separator: string,
  quote: (text: string) => string,
  { rawCells = false }: SeparatedOptions = {},
): RowForm {
  const encode = rawCells ? quote : (text: string) => quote(toSafeCell(text));
  const openCells = columns.map(() => toSeparatedCells(encode));
  return {
    head: `${columns.map((column) => encode(column.key)).join(separator)}\n`,
    between: '',
    tail: '',
    rows(data) {
      const cells = openCells.map((open, index) => open(data[index] as Values));
      return (row) => {
        let text = '';
        for (let index = 0; index < cells.length; index += 1)
          text += (index === 0 ? '' : separator) + (cells[index] as (row: number) => string)(row);
        return `${text}\n`;
      };
    },
  };
}

/**
 * Comma-separated values as in RFC 4180, but records end with a line feed. The header (column keys) is always present.
 * Null is an empty field, the empty text is `""`. Control characters are removed, and formulas marked, by `toSafeCell`.
 */
export function toCsvForm(columns: readonly Column[], options?: SeparatedOptions): RowForm {
  return toSeparatedForm(columns, ',', quoteCell, options);
}

/** Writes a result in the form of `toCsvForm`. */
export function writeCsv(result: Result, options?: SeparatedOptions): Generator<string> {
  return toChunks(toCsvForm(result.columns, options), toBatch(result));
}

const special = /[\t\n\r\\]/g;
const needsEscape = /[\t\n\r\\]/;
const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function encodeTsvCell(text: string): string {
  if (text === '') return '""';
  const escaped = needsEscape.test(text) ? text.replace(special, (character) => escapes[character] ?? character) : text;
  // A leading quote would be read as quoting, and `""` stands for the empty text.
  return escaped.startsWith('"') ? `\\${escaped}` : escaped;
}

/**
 * Tab-separated values, always one line per row. Tab, line feed, carriage return and backslash are written `\t \n \r
 * \\`, a leading quote `\"`. Null is an empty field, the empty text is `""`. The header (column keys) is always
 * present.
 */
export function toTsvForm(columns: readonly Column[], options?: SeparatedOptions): RowForm {
  return toSeparatedForm(columns, '\t', encodeTsvCell, options);
}

/** Writes a result in the form of `toTsvForm`. */
export function writeTsv(result: Result, options?: SeparatedOptions): Generator<string> {
  return toChunks(toTsvForm(result.columns, options), toBatch(result));
}
