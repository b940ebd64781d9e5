import { quotePaths } from '../engine/sql-text.ts';

/** A relation over segments, or parts of one to be; with `file_row_number` where it is asked for. */
export function rowsOf(paths: readonly string[], rowNumbers = false): string {
  return `read_parquet(${quotePaths(paths)}, hive_partitioning = false${rowNumbers ? ', file_row_number = true' : ''})`;
}

/** How segments are written: zstd at its lowest costs no more time than snappy here, and two thirds of the room. */
export const segmentFormat =
  '(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880, USE_TMP_FILE false)';
