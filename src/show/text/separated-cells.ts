import type { Column, Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result.ts';
import { remember } from './remember.ts';

const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

// A cell that begins with one of these can become a formula when a spreadsheet opens the file.
// Source: OWASP, "CSV Injection"; the full-width forms count as well.
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

// Terminals obey them and many readers end a field at NUL. Tabs and line breaks are text.
const control = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * A text as a cell may hold it, before quotes: control characters are left out (JSON keeps them), and what a
 * spreadsheet would take for a formula gets an apostrophe in front. Plain numbers stay as they are.
 */
export function toSafeCell(text: string): string {
  const clean = text.replace(control, '').toWellFormed();
  return formulaStart.test(clean) && !plainNumber.test(clean) ? `'${clean}` : clean;
}

/** How one column is written in a format that separates cells: null is an empty field; `encode` gets every text. */
function toSeparatedCells(result: Result, column: Column, encode: (text: string) => string): (row: number) => string {
  const values = result.values(column.key);
  if (values instanceof Float64Array) return (row) => String(values[row]);
  const encodeOnce = remember((text) => (plainNumber.test(text) ? text : encode(toSafeCell(text))));
  return (row) => {
    const value: Value = values[row] ?? null;
    if (value === null) return '';
    return typeof value === 'string' ? encodeOnce(value) : String(value);
  };
}

/** Header and rows of a format that separates cells. Lines end with a line feed. */
export function toSeparatedLines(result: Result, separator: string, encode: (text: string) => string) {
  const cells = result.columns.map((column) => toSeparatedCells(result, column, encode));
  return {
    header: `${result.columns.map((column) => encode(toSafeCell(column.key))).join(separator)}\n`,
    line(row: number): string {
      let text = '';
      for (let index = 0; index < cells.length; index += 1) text += (index === 0 ? '' : separator) + (cells[index] as (row: number) => string)(row);
      return `${text}\n`;
    },
  };
}
