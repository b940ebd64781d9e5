import type { TimeRange } from '../../../ask/time/range.ts';
import type { ExportQuery } from './export-query.ts';

/** How a line of exported rows is written where nothing is amiss: its members in the query's order, the count last. */
export interface LineForm {
  /** `{"TrackedEvents.utcTime":` */
  readonly opening: Buffer;
  /** `,"TrackedEvents.count":` */
  readonly beforeCount: Buffer;
  /** The members in their order. */
  readonly keys: readonly string[];
  readonly count: string;
  /** The first member is the time that windows are cut by. */
  readonly timed: boolean;
  /** Rows of another time were not asked for. */
  readonly range: TimeRange;
}

export function toLineForm({ columns, time, count }: ExportQuery, range: TimeRange): LineForm {
  const keys = columns.map(({ key }) => key);
  const [first = count] = keys;
  return {
    opening: Buffer.from(`{${JSON.stringify(first)}:`),
    beforeCount: Buffer.from(`${keys.length > 1 ? ',' : '{'}${JSON.stringify(count)}:`),
    keys,
    count,
    timed: first === time,
    range,
  };
}

/** Lines that are not of the form, though they may be rows: they have to be read and written anew. */
export class WrittenOtherwise extends Error {
  override readonly name = 'WrittenOtherwise';
}

/** Lines that do not come in the order of their times. */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder';
}
