import { writeTimestamp } from '../../../plan/sql/duckdb.ts';
import { eventFields } from '../../../plan/model/event-fields.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';

/** The columns of a segment in order: event fields, `further` for everything else, and the number of the source. */
export const segmentColumns: readonly string[] = [...eventFields.map(({ column }) => column), 'further', 'source'];

/** Columns that hold a person's id. */
export const idColumns = ['user_anonymous_id', 'user_id', 'ids_ajs_anonymous_id', 'user_hashed_anonymous_id'] as const;

const textColumns: readonly string[] = [
  ...eventFields.filter(({ type }) => type === 'text' || type === 'json').map(({ column }) => column),
  'further',
];

/** Every column whose text can contain an id. */
export { textColumns as segmentTextColumns };

/** A SQL string of any characters. A NUL would end the statement. */
export function quoteId(id: string): string {
  return `(${id.split('\0').map(quoteText).join(' || chr(0) || ')})`;
}

/** A relation over segments or staged parts, with a column for the place of each row on request. */
export function rowsOf(paths: readonly string[], place?: 'file_row_number' | 'filename'): string {
  return (
    `read_parquet(${quotePaths(paths)}, hive_partitioning = false` +
    `${place === undefined ? '' : `, ${place} = true`})`
  );
}

/** The format of segments. Here zstd at level 1 is as fast as snappy and takes two thirds of the space. */
export const segmentFormat =
  '(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880, USE_TMP_FILE false)';

/** The condition that an event is before an instant in epoch milliseconds. */
export function earlier(instant: number): string {
  return `utc_time < TIMESTAMP '${writeTimestamp(instant)}'`;
}
