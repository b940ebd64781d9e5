/** The cell was not in the answer: it was added because it is proven that there was nothing. */
export const filled = 1;
/** A zero that the server may have filled in: it cannot be told from a counted one. */
export const filledOrZero = 2;
/** The bucket sticks out of the range that was asked for. */
export const partialByRange = 4;
/** The bucket is not over yet. */
export const partialByPresent = 8;

/** What is to be known about single cells. Rows count from 0; without a key, any column of the row counts. */
export interface Marks {
  /** Zero-fill added the value, or a server may have: it is no figure that was counted. */
  isFilled(row: number, key?: string): boolean;
  /** The range or the present cuts the bucket: the value will still change, or covers less time than its label says. */
  isPartial(row: number, key?: string): boolean;
  /** The flags above of one cell, as a sum; 0 where there are none, or no such column or row. */
  of(key: string, row: number): number;
  /** The flags of a column, one a row, shared and not to be written to; undefined where no cell has any. */
  flags(key: string): Uint8Array | undefined;
}

/** Marks from flags by column key. Columns may share one array. */
export function toMarks(flags: ReadonlyMap<string, Uint8Array>): Marks {
  const has = (wanted: number) => (row: number, key?: string) =>
    (key === undefined ? [...flags.values()] : [flags.get(key)]).some((own) => ((own?.[row] ?? 0) & wanted) !== 0);
  return {
    isFilled: has(filled | filledOrZero),
    isPartial: has(partialByRange | partialByPresent),
    of: (key, row) => flags.get(key)?.[row] ?? 0,
    flags: (key) => flags.get(key),
  };
}

export const noMarks: Marks = toMarks(new Map());
