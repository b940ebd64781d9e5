/** Zero-fill added the cell, because there were provably no rows. */
export const filled = 1;
/** A zero that was either counted or filled by the server; the response does not say which. */
export const filledOrZero = 2;
/** The bucket extends beyond the range of the query. */
export const partialByRange = 4;
/** The bucket is not over yet. */
export const partialByPresent = 8;

/** Marks of single cells, as sums of the flags above. */
export interface Marks {
  /** The flags of one cell; 0 if it has none, or if the column or row does not exist. */
  of(key: string, row: number): number;
  /** The flags of a column, one per row; undefined if no cell has any. The array is shared: do not modify it. */
  flags(key: string): Uint8Array | undefined;
}

/** Marks from flags by column key. Columns may share one array. */
export function toMarks(flags: ReadonlyMap<string, Uint8Array>): Marks {
  return {
    of: (key, row) => flags.get(key)?.[row] ?? 0,
    flags: (key) => flags.get(key),
  };
}

export const noMarks: Marks = toMarks(new Map());
