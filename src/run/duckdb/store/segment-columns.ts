import { eventFields } from '../../../plan/model/event-fields.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';

/** The columns of a segment, in their order: those of the events, what has no column, and the number of the source. */
export const segmentColumns: readonly string[] = [...eventFields.map(({ column }) => column), 'further', 'source'];

/** Columns in which an id of a person stands. */
export const idColumns = ['user_anonymous_id', 'user_id', 'ids_ajs_anonymous_id', 'user_hashed_anonymous_id'] as const;

const textColumns: readonly string[] = [
  ...eventFields.filter(({ type }) => type === 'text' || type === 'json').map(({ column }) => column),
  'further',
];

/** Every column in which an id could stand as a part of the text. */
export { textColumns as segmentTextColumns };

/** A text of SQL that may hold any character: a NUL would end the statement. */
export function quoteId(id: string): string {
  return `(${id.split('\0').map(quoteText).join(' || chr(0) || ')})`;
}

/** A relation over segments, or parts of one to be; with `file_row_number` where it is asked for. */
export function rowsOf(paths: readonly string[], rowNumbers = false): string {
  return `read_parquet(${quotePaths(paths)}, hive_partitioning = false${rowNumbers ? ', file_row_number = true' : ''})`;
}
