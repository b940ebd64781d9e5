import type { TimeRange } from '../../../ask/time/range.ts';
import type { ExportQuery } from './export-query.ts';

/** The regular form of a line of exported rows: its members in the query's order, the count last. */
export interface LineForm {
  readonly opening: Buffer;
  readonly beforeCount: Buffer;
  /** The members in order. */
  readonly keys: readonly string[];
  /** True if the first member is the time by which windows are split. */
  readonly timed: boolean;
  /** Rows outside this range were not requested. */
  readonly range: TimeRange;
}

export function toLineForm({ columns, time, count }: ExportQuery, range: TimeRange): LineForm {
  const keys = columns.map(({ key }) => key);
  const [first = count] = keys;
  return {
    opening: Buffer.from(`{${JSON.stringify(first)}:`),
    beforeCount: Buffer.from(`${keys.length > 1 ? ',' : '{'}${JSON.stringify(count)}:`),
    keys,
    timed: first === time,
    range,
  };
}

/** Lines that do not have the regular form but may be rows. They must be parsed and written anew. */
export class WrittenOtherwise extends Error {
  override readonly name = 'WrittenOtherwise';
}

/** Lines that are not in the order of their times. */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder';
}
