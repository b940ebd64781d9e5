import { wrongArgument } from '../../ask/document/check-argument.ts';
import { describeValue } from '../../ask/document/describe-value.ts';
import { cloneable } from '../../ask/cloneable.ts';

/** Zero-fill added the cell: it is known that there were no rows. */
export const filled = 1;
/** A zero that was either counted or filled by the server; the response does not say which. */
export const filledOrZero = 2;
/** The bucket extends beyond the range of the query. */
export const partialByRange = 4;
/** The bucket is not over yet. */
export const partialByPresent = 8;
/** The row stands for all groups beyond the limit. */
export const others = 16;

/**
 * Marks of single cells. Rows count from 0. Without a key, a mark in any column of the row counts. Functions throw
 * `InvalidInputError` if the row is no number.
 */
export interface Marks<Key extends string = string> {
  /** Whether zero-fill added the value, or a server may have: it was not counted. */
  isFilled(row: number, key?: Key): boolean;
  /**
   * Whether the range or the reference time cuts the bucket, so that it may change or covers less time than its label.
   */
  isPartial(row: number, key?: Key): boolean;
  /** The flags of one cell, as a sum; 0 if it has none, or if the column or row does not exist. */
  of(key: Key, row: number): number;
  /** The flags of a column, one per row; undefined if no cell has any. The array is shared: do not modify it. */
  flags(key: Key): Uint8Array | undefined;
  /** The flags of each column that has some, by its key. */
  readonly byKey: ReadonlyMap<string, Uint8Array>;
}

/** Makes marks from flags by column key. Columns may share one array. */
export function toMarks(flags: ReadonlyMap<string, Uint8Array>): Marks {
  const has = (called: string, wanted: number) => (row: number, key?: string) => {
    checkRow(called, row);
    return (key === undefined ? [...flags.values()] : [flags.get(key)]).some(
      (own) => ((own?.[row] ?? 0) & wanted) !== 0,
    );
  };
  return cloneable(
    { byKey: flags },
    {
      isFilled: has('isFilled', filled | filledOrZero),
      isPartial: has('isPartial', partialByRange | partialByPresent),
      of(key: string, row: number) {
        checkRow('of', row);
        return flags.get(key)?.[row] ?? 0;
      },
      flags: (key: string) => flags.get(key),
    },
  );
}

/** Rejects row objects of `rows()`, which would silently have no marks. */
function checkRow(called: string, row: unknown): void {
  if (typeof row === 'number') return;
  const hint = 'Pass the number of a row, from 0.';
  throw wrongArgument(called, `The row must be a number, not ${describeValue(row)}.`, hint);
}

export const noMarks: Marks = toMarks(new Map());
