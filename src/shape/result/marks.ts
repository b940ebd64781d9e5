/** The cell was not in the answer: it was added because it is proven that there was nothing. */
export const filled = 1;
/** A zero that the server may have filled in: it cannot be told from a counted one. */
export const filledOrZero = 2;
/** The bucket sticks out of the range that was asked for. */
export const partialByRange = 4;
/** The bucket is not over yet. */
export const partialByPresent = 8;
/** The row stands for all groups that have none of their own. */
export const others = 16;

/** What is to be known about single cells, as sums of the flags above. */
export interface Marks {
  /** The flags of one cell; 0 where there are none, or no such column or row. */
  of(key: string, row: number): number;
  /** The flags of a column, one a row, shared and not to be written to; undefined where no cell has any. */
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
