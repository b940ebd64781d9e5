import { quoteName, quotePaths, quoteText, textColumns } from '../../duckdb/engine/sql-text.ts';
import { timeOfText } from '../../duckdb/engine/time-expression.ts';

/** A member of exported rows. Its values are text or null in the rows, whatever the type. */
export interface RowColumn {
  /** The member: `TrackedEvents.docPath`. */
  readonly key: string;
  /** `count`: the number of events in a row. */
  readonly type: 'text' | 'time' | 'number' | 'boolean' | 'count';
}

/**
 * A relation of the rows of spool files, in their order, every value as text. Fields that are no column are left out.
 */
export function readRows(files: readonly string[], columns: readonly RowColumn[]): string {
  return `read_json(${quotePaths(files)}, format = 'newline_delimited', records = true, compression = 'uncompressed', hive_partitioning = false, columns = ${textColumns(columns.map(({ key }) => key))})`;
}

/**
 * In the message of the engine's error about a value that does not fit its column: what follows is its key, then the
 * value.
 */
export const unfitMark = 'sluice cannot type ';

/**
 * The value of a column in the type that it has in Parquet; the statement fails at a value that would not stay what it
 * is.
 */
export function typedValue({ key, type }: RowColumn): string {
  const text = quoteName(key);
  const typed = typedText(type, text);
  if (typed === undefined) return text;
  return `CASE WHEN ${text} IS NOT NULL THEN coalesce(${typed}, error(${quoteText(`${unfitMark}${key}: `)} || ${text})) END`;
}

function typedText(type: RowColumn['type'], text: string): string | undefined {
  switch (type) {
    case 'text':
      return undefined;
    case 'time':
      return `CASE WHEN length(${text}) > 26 AND regexp_matches(${text}, '[.][0-9]{6}[0-9]*[1-9]') THEN NULL ELSE ${timeOfText(text)} END`;
    case 'number':
      return `CASE WHEN length(${text}) <= 15 OR TRY_CAST(${text} AS DECIMAL(38, 9)) IS NOT DISTINCT FROM TRY_CAST(TRY_CAST(${text} AS DOUBLE) AS DECIMAL(38, 9)) THEN TRY_CAST(${text} AS DOUBLE) END`;
    case 'boolean':
      return `TRY_CAST(${text} AS BOOLEAN)`;
    case 'count':
      return `TRY_CAST(${text} AS BIGINT)`;
  }
}
