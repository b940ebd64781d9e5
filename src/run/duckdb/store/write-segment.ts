import { stat } from 'node:fs/promises';
import { eventFields } from '../../../plan/model/event-fields.ts';
import { keepToOwner } from '../../file/owner-only.ts';
import { type Segment, segmentPath } from '../../store/store-manifest.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';
import type { StoreWriter } from './open-writer.ts';

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

/** How segments are written: zstd at its lowest costs no more time than snappy here, and two thirds of the room. */
export const segmentFormat =
  '(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880, USE_TMP_FILE false)';

/**
 * Writes the rows of a SELECT of `segmentColumns` in their order, as a file of its own; undefined where there are none.
 */
export async function writeSegment(writer: StoreWriter, select: string): Promise<Segment | undefined> {
  const name = writer.freshName('.parquet');
  await writer.rows(`COPY (${select}) TO ${quoteText(segmentPath(writer.folder, { name }))} ${segmentFormat}`);
  await keepToOwner(segmentPath(writer.folder, { name }));
  return describeSegment(writer, name);
}

/** What the manifest says of a file that is written; undefined where it has no rows. */
export async function describeSegment(writer: StoreWriter, name: string): Promise<Segment | undefined> {
  const path = segmentPath(writer.folder, { name });
  const [row] = await writer.rows(
    `SELECT count(*), epoch_ms(min(utc_time)), epoch_ms(max(utc_time)), min(source), max(source), count(*) FILTER (project_id IS NULL) FROM ${rowsOf([path])}`,
  );
  const [rows, first, last, lowest, highest, homeless] = (row ?? []).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (rows === 0) return undefined;
  const projects = await writer.rows(
    `SELECT DISTINCT project_id FROM ${rowsOf([path])} WHERE project_id IS NOT NULL ORDER BY 1`,
  );
  return {
    name,
    rows,
    bytes: (await stat(path)).size,
    first,
    last,
    projects: [...projects.map(([project]) => String(project)), ...(homeless > 0 ? [null] : [])],
    sources: [lowest, highest],
  };
}
