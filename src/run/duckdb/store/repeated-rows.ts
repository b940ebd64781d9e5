import { numbersOf, type StoreSource } from '../../store/store-contents.ts';
import { segmentPath } from '../../store/store-manifest.ts';
import { quoteText } from '../engine/sql-text.ts';
import type { StoreWriter } from './open-writer.ts';
import type { Part } from './rows-to-drop.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';

/** Events of a file that equal events of its earlier content, which it does not replace. */
export interface RepeatedRows {
  readonly count: number;
  /** The content that was loaded from the same path before. */
  readonly earlier: StoreSource;
}

/**
 * Finds rows without an id that equal rows loaded from the same path: those of a file that was written anew, not of a
 * log that began again. Nothing else tells them apart, so they count twice. undefined if there are none.
 */
export async function findRepeatedRows(
  writer: StoreWriter,
  { file, number }: StoreSource,
  part: Part,
  before: readonly StoreSource[],
): Promise<RepeatedRows | undefined> {
  const earlier = before.findLast((source) => source.file === file && source.window === undefined);
  if (!earlier || part.rows === 0) return undefined;
  const numbers = numbersOf(earlier);
  const segments = writer.manifest.segments.filter(({ sources: [lowest, highest] }) =>
    numbers.some((one) => one >= lowest && one <= highest),
  );
  if (segments.length === 0) return undefined;
  const columns = segmentColumns.filter((column) => column !== 'source').join(', ');
  const rows = (paths: readonly string[], sources: readonly number[]) =>
    `FROM ${rowsOf(paths)} WHERE source IN (${sources.join(', ')}) AND coalesce(event_id, '') = ''`;
  const fresh = rows([part.path], [number]);
  const [ends] = await writer.rows(`SELECT CAST(min(utc_time) AS VARCHAR), CAST(max(utc_time) AS VARCHAR) ${fresh}`);
  if (typeof ends?.[0] !== 'string') return undefined;
  const stored = rows(
    segments.map((segment) => segmentPath(writer.folder, segment)),
    numbers,
  );
  // Segments are in order of time, so that of a log that began again nothing is read.
  const within = `utc_time BETWEEN TIMESTAMP ${quoteText(ends[0])} AND TIMESTAMP ${quoteText(String(ends[1]))}`;
  const row = `SELECT hash(${columns}) AS row`;
  const [counted] = await writer.rows(
    `SELECT count(*) FROM (${row} ${fresh}) AS fresh SEMI JOIN (${row} ${stored} AND ${within}) AS stored USING (row)`,
  );
  const count = Number(counted?.[0]);
  return count > 0 ? { count, earlier } : undefined;
}
