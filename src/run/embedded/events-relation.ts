import { allSpellings, canonicalColumns, timeSpellings, userKey, type CanonicalColumns, type SourceColumn, type UserOrder } from './event-columns.ts';
import { userKeyColumn } from '../../plan/model/event-fields.ts';
import type { EventSource } from './event-source.ts';
import { lineKey } from './clean-file.ts';
import type { Compression } from './read-bytes.ts';
import { longestRecord } from './split-records.ts';
import { jsonCompression, quoteName, quotePaths, quoteText, textColumns } from './sql-text.ts';
import { hasReadableTime } from './time-expression.ts';

/**
 * SQL of the normalised events, straight over the files. A text file's line without a readable time stops the
 * statement (and the caller then cleans the file); in Parquet and in cleaned files such rows are left out.
 */
export function eventsRelation(sources: readonly EventSource[], users: UserOrder): string {
  if (sources.length === 0) return `${selectFrom(canonicalColumns([]), '(SELECT 1)', users)} WHERE false`;
  return sources.map((source) => eventsOfSource(source, users)).join('\nUNION ALL\n');
}

export function eventsOfSource(source: EventSource, users: UserOrder): string {
  return `${selectFrom(canonicalColumns(columnsOf(source)), readerOf(source), users)} WHERE ${conditionOf(source)}`;
}

const timeless = "error('an event without a readable time')";

function conditionOf(source: EventSource): string {
  if (source.kind === 'json' || source.kind === 'csv') return `CASE WHEN ${hasReadableTime} THEN true ELSE ${timeless} END`;
  // A bare test for NULL is pushed down into the scan, where it costs nothing.
  return source.kind === 'parquet' && plainTimeOf(source.columns) ? 'utc_time IS NOT NULL' : hasReadableTime;
}

/** The column of the time where it is one as it stands, so that conditions on it are tested by row group. */
export function plainTimeOf(columns: readonly SourceColumn[]): SourceColumn | undefined {
  const [time, ...more] = timesAmong(columns);
  return time?.type === 'TIMESTAMP' && more.length === 0 ? time : undefined;
}

function timesAmong(columns: readonly SourceColumn[]): readonly SourceColumn[] {
  return columns.filter((column) => isTimeName(column.name));
}

function selectFrom(columns: CanonicalColumns, reader: string, users: UserOrder): string {
  return `SELECT *, ${userKey(users)} AS ${quoteName(userKeyColumn)} FROM (SELECT ${named(columns.read)}
FROM (SELECT ${named(columns.gathered)}
FROM ${reader}) AS gathered) AS events_read`;
}

function named(expressions: ReadonlyMap<string, string>): string {
  return [...expressions].map(([name, expression]) => (expression === quoteName(name) ? expression : `${expression} AS ${quoteName(name)}`)).join(', ');
}

/** What a cleaned file or a Parquet file holds in vain: line or row, and the time as it is written there. */
export function rowsWithoutTime(source: Extract<EventSource, { kind: 'cleaned' | 'parquet' }>, path: string): string {
  const columns = columnsOf(source);
  const { gathered, read } = canonicalColumns(columns);
  const line = source.kind === 'cleaned' ? `CAST(${quoteName(lineKey)} AS BIGINT)` : 'file_row_number + 1';
  const reader = source.kind === 'cleaned' ? readerOf(source, [lineKey]) : readerOf({ ...source, paths: [path] }, [], true);
  const written = timesAmong(columns).map((column) => `CAST(${quoteName(column.name)} AS VARCHAR)`);
  return `SELECT line, written FROM (SELECT line, written, ${read.get('utc_time')!} AS utc_time
    FROM (SELECT ${line} AS line, coalesce(${[...written, 'NULL'].join(', ')}) AS written, ${gathered.get('utc_time')!} AS utc_time FROM ${reader}))
  WHERE NOT ${hasReadableTime}`;
}

const timeNames = new Set(timeSpellings.map((spelling) => spelling.toLowerCase()));

/** A column of this name holds the event's time. */
export function isTimeName(name: string): boolean {
  return timeNames.has(name.toLowerCase());
}

function columnsOf(source: EventSource): readonly SourceColumn[] {
  switch (source.kind) {
    case 'parquet':
      return source.columns;
    case 'csv':
      return source.header.map(asText);
    default:
      return allSpellings.map(asText);
  }
}

function asText(name: string): SourceColumn {
  return { name, type: 'VARCHAR' };
}

function readerOf(source: EventSource, furtherKeys: readonly string[] = [], rowNumbers = false): string {
  switch (source.kind) {
    case 'parquet':
      return `read_parquet(${quotePaths(source.paths)}, binary_as_string = true, hive_partitioning = false${rowNumbers ? ', file_row_number = true' : ''})`;
    case 'csv':
      return `read_csv(${quotePaths(source.paths)}, auto_detect = false, header = true, delim = ${quoteText(source.delimiter)}, quote = '"', escape = '"',
        columns = ${textColumns(source.header)}, compression = '${source.compression}', hive_partitioning = false)`;
    case 'json':
      return jsonReader(source.paths, source.format, source.compression, furtherKeys, defaultObjectSize);
    case 'cleaned':
      return jsonReader([source.path], 'newline_delimited', source.compression, furtherKeys, source.longest > defaultObjectSize ? longestRecord * 2 : defaultObjectSize);
  }
}

/** DuckDB reserves twice as much for each thread, and reads up to twice as much. */
const defaultObjectSize = longestRecord / 2;

function jsonReader(paths: readonly string[], format: string, compression: Compression, furtherKeys: readonly string[], objectSize: number): string {
  return `read_json(${quotePaths(paths)}, format = '${format}', records = true, columns = ${textColumns([...allSpellings, ...furtherKeys])},
    maximum_object_size = ${objectSize}, compression = '${jsonCompression(compression)}', hive_partitioning = false)`;
}
