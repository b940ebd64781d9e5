import type { Column, Value } from '../../plan/column.ts';
import type { LabelZones } from './read-label.ts';
import { labelReader } from './read-label.ts';
import { readLongNumber } from './read-long-number.ts';
import { readExtremeText, readNumericText, readShortNumber } from './read-number.ts';

/** A cell that does not fit its column. */
export interface Misfit {
  readonly row: number;
  /** What the column wants instead: `a number`. */
  readonly wanted: string;
  /** It is a whole number that JSON's own numbers may not hold: the text tells it. */
  readonly bent?: boolean;
}

export type DecodedCells = { readonly values: readonly Value[] | Float64Array; readonly misfit?: undefined } | { readonly misfit: Misfit };

/**
 * The cells of one column as values (see `Value`): numbers also where they come as text, null where there is null. Cells that are
 * missing (undefined) become null: whether they may be is decided elsewhere.
 */
export function decodeCells(cells: readonly unknown[], column: Column, zones: LabelZones, reading: NumberReading): DecodedCells {
  if (column.type === 'number') return decodeNumbers(cells, reading);
  if (column.type === 'time' && column.kind !== 'measure') return decodeEach(cells, 'a time', timeReader(column, zones));
  if (column.type === 'boolean') return decodeEach(cells, 'true or false', readTruth);
  return column.kind === 'measure' && column.type === 'time' ? decodeEach(cells, 'a time', (cell) => (typeof cell === 'string' ? readExtremeText(cell) : undefined)) : decodeTexts(cells);
}

export interface NumberReading {
  /** Large numbers were parsed with care. */
  readonly exact: boolean;
  /** A number is promised: text is none. Else (the least of some texts, a dimension of codes) it stays text. */
  readonly strict: boolean;
}

/** Numbers all the way: a typed array; else values, nulls and bigints among them. */
function decodeNumbers(cells: readonly unknown[], reading: NumberReading): DecodedCells {
  const numbers = new Float64Array(cells.length);
  for (let row = 0; row < cells.length; row += 1) {
    const cell = cells[row];
    let number = typeof cell === 'string' ? readPlainNumber(cell) : Number.NaN;
    if (Number.isNaN(number)) {
      const value = readOtherNumber(cell, reading);
      if (typeof value !== 'number') return decodeMixedNumbers(cells, numbers, row, reading);
      number = value;
    }
    numbers[row] = number;
  }
  return { values: numbers };
}

/** From the first row on that is not a number, or not one that a number holds. */
function decodeMixedNumbers(cells: readonly unknown[], before: Float64Array, from: number, reading: NumberReading): DecodedCells {
  const values: Value[] = new Array(cells.length);
  for (let row = 0; row < from; row += 1) values[row] = before[row] as number;
  for (let row = from; row < cells.length; row += 1) {
    const cell = cells[row];
    const number = typeof cell === 'string' ? readPlainNumber(cell) : Number.NaN;
    const value = Number.isNaN(number) ? readOtherNumber(cell, reading) : number;
    if (value === undefined) return { misfit: { row, wanted: 'a number', bent: isBent(cell) } };
    values[row] = value;
  }
  return { values };
}

/** NaN for what takes a closer look. */
function readPlainNumber(text: string): number {
  return text.length > 16 ? readLongNumber(text) : readShortNumber(text);
}

/** Undefined for what is no number, or one that JSON may have bent. */
function readOtherNumber(cell: unknown, { exact, strict }: NumberReading): Value | undefined {
  if (typeof cell === 'string') return strict ? readNumericText(cell) : readExtremeText(cell);
  // The wire may say -0, which is nothing else than zero.
  if (typeof cell === 'number') return exact || !isBent(cell) ? cell + 0 : undefined;
  if (typeof cell === 'boolean') return Number(cell);
  return cell === null || cell === undefined ? null : undefined;
}

function isBent(cell: unknown): boolean {
  return Number.isInteger(cell) && !Number.isSafeInteger(cell);
}

/** Text as it is: the very array, where all of it is text already. */
function decodeTexts(cells: readonly unknown[]): DecodedCells {
  let row = 0;
  while (row < cells.length && (typeof cells[row] === 'string' || cells[row] === null)) row += 1;
  if (row === cells.length) return { values: cells as readonly (string | null)[] };
  return decodeEach(cells, 'text', (cell) => (typeof cell === 'string' ? cell : typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : undefined));
}

/** Rows mostly come in the order of time: what was read last is tried first, and its very text is used again, which those who group by it will not have to read once more. */
function timeReader(column: Column, zones: LabelZones): (cell: unknown) => Value | undefined {
  const read = labelReader(column, zones);
  let last: unknown;
  let label: string | undefined;
  return (cell) => {
    if (cell === last) return label;
    if (typeof cell !== 'string') return undefined;
    last = cell;
    label = read(cell);
    return label;
  };
}

/** Some databases have no booleans of their own, and answer 0 and 1. */
function readTruth(cell: unknown): boolean | undefined {
  if (typeof cell === 'boolean') return cell;
  const text = String(cell).toLowerCase();
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** `read` gives undefined for what does not fit. */
function decodeEach(cells: readonly unknown[], wanted: string, read: (cell: unknown) => Value | undefined): DecodedCells {
  const values: Value[] = new Array(cells.length);
  for (let row = 0; row < cells.length; row += 1) {
    const cell = cells[row];
    if (cell === null || cell === undefined) {
      values[row] = null;
      continue;
    }
    const value = read(cell);
    if (value === undefined) return { misfit: { row, wanted } };
    values[row] = value;
  }
  return { values };
}
