import type { Value } from '../../plan/column.ts';
import type { Values } from './values.ts';

/** A dictionary-encoded column: equal values have equal codes. */
export interface Codes {
  readonly codes: Int32Array;
  /** The value of each code. */
  readonly dictionary: readonly Value[];
}

/**
 * Encodes a column; codes count from 0 in order of first appearance. Values differ by type and value, so null, 'null'
 * and '∅' stay apart. Answers are repetitive (runs of a day, the same series day after day), so the value that last
 * followed the previous one is tried first, and most rows need no look-up.
 */
export function toCodes(values: Values): Codes {
  const codes = new Int32Array(values.length);
  const dictionary: Value[] = [];
  const known = new Map<Value, number>();
  const follower: number[] = [];
  let previous = -1;
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] as Value;
    let code = -1;
    if (previous >= 0) {
      const guess = follower[previous] as number;
      if (dictionary[previous] === value) code = previous;
      else if (dictionary[guess] === value) code = guess;
    }
    if (code < 0) {
      code = known.get(value) ?? -1;
      if (code < 0) {
        code = dictionary.length;
        known.set(value, code);
        dictionary.push(value);
        follower.push(code);
      }
    }
    if (previous >= 0 && code !== previous) follower[previous] = code;
    codes[row] = code;
    previous = code;
  }
  return { codes, dictionary };
}

/** Decodes a column. */
export function fromCodes({ codes, dictionary }: Codes): readonly Value[] {
  const values: Value[] = new Array(codes.length);
  for (let row = 0; row < codes.length; row += 1) values[row] = dictionary[codes[row] as number] as Value;
  return values;
}

/** Renumbers codes from 0 in order of first appearance, and drops unused values from the dictionary. */
export function renumber({ codes, dictionary }: Codes): Codes {
  const newCodes = new Int32Array(dictionary.length).fill(-1);
  const used: Value[] = [];
  for (let row = 0; row < codes.length; row += 1) {
    const code = codes[row] as number;
    if (newCodes[code] === -1) newCodes[code] = used.push(dictionary[code] as Value) - 1;
  }
  return { codes: lookUp(newCodes, codes), dictionary: used };
}

/** Maps each code to its entry in a table. */
export function lookUp(table: Int32Array, codes: Int32Array): Int32Array {
  const found = new Int32Array(codes.length);
  for (let row = 0; row < codes.length; row += 1) found[row] = table[codes[row] as number] as number;
  return found;
}

/** Rows grouped by several columns. */
export interface Groups {
  /** The group of each row, counted from 0 in order of first appearance. */
  readonly groups: Int32Array;
  /** The first row of each group. */
  readonly firstRows: Int32Array;
}

/** Groups rows by the combination of their codes. Without columns all rows are one group. */
export function toGroups(columns: readonly Codes[], rowCount: number): Groups {
  const [first, ...rest] = columns;
  if (!first) return { groups: new Int32Array(rowCount), firstRows: new Int32Array(Math.min(1, rowCount)) };
  let groups = first.codes;
  for (const { codes, dictionary } of rest) groups = combine(groups, codes, dictionary.length);
  return { groups, firstRows: toFirstRows(groups) };
}

function combine(left: Int32Array, right: Int32Array, size: number): Int32Array {
  const known = new Map<number, number>();
  const combined = new Int32Array(left.length);
  for (let row = 0; row < left.length; row += 1) {
    const pair = (left[row] as number) * size + (right[row] as number);
    let code = known.get(pair);
    if (code === undefined) {
      code = known.size;
      known.set(pair, code);
    }
    combined[row] = code;
  }
  return combined;
}

function toFirstRows(groups: Int32Array): Int32Array {
  const firstRows: number[] = [];
  for (let row = 0; row < groups.length; row += 1) if (groups[row] === firstRows.length) firstRows.push(row);
  return Int32Array.from(firstRows);
}
