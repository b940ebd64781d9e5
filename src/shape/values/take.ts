import type { Value } from '../../plan/column.ts';
import { type Codes, lookUp } from './codes.ts';
import type { Values } from './values.ts';

/**
 * The values of the chosen rows, in the order of `rows`. A row of −1 gives `absent`. A typed array stays one if all
 * chosen values are numbers.
 */
export function takeValues(values: Values, rows: Int32Array, absent: Value = null): Values {
  if (values instanceof Float64Array && (typeof absent === 'number' || !rows.includes(-1))) {
    const taken = new Float64Array(rows.length);
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] as number;
      taken[index] = row < 0 ? (absent as number) : (values[row] as number);
    }
    return taken;
  }
  const taken: Value[] = new Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    taken[index] = row < 0 ? absent : (values[row] as Value);
  }
  return taken;
}

/** A coded column of the chosen rows, in the order of `rows`. */
export function takeCodes({ codes, dictionary }: Codes, rows: Int32Array): Codes {
  return { codes: lookUp(codes, rows), dictionary };
}

/** The flags of the chosen rows; 0 for a row of −1. */
export function takeFlags(flags: Uint8Array, rows: Int32Array): Uint8Array {
  const taken = new Uint8Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    taken[index] = row < 0 ? 0 : (flags[row] as number);
  }
  return taken;
}

/** The rows from `start` to before `end`. */
export function rowsBetween(start: number, end: number): Int32Array {
  const rows = new Int32Array(Math.max(0, end - start));
  for (let index = 0; index < rows.length; index += 1) rows[index] = start + index;
  return rows;
}
