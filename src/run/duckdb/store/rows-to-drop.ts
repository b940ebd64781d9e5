import { quoteText } from '../engine/sql-text.ts';
import type { StoreWriter } from './open-writer.ts';
import { type Segment, segmentPath, type StoredProperty } from '../../store/store-manifest.ts';
import { findRepeats, keysOf } from './id-hashes.ts';
import { earlier, idColumns, quoteId, rowsOf } from './segment-columns.ts';

/** Staged rows of one or a few sources, not yet committed. */
export interface Part {
  readonly name: string;
  readonly path: string;
  /** The sources of its rows. */
  readonly numbers: readonly number[];
  readonly rows: number;
  /** The properties that have columns. */
  readonly properties: readonly StoredProperty[];
  /** The expression of the source of its rows, over `file_row_number`, if the store had some of them before. */
  readonly label?: string | undefined;
}

/** How many rows of a source are dropped, by reason. */
export interface LeftOut {
  readonly known: number;
  readonly forgotten: number;
  readonly pruned: number;
  /** The sources that already have the known rows. */
  readonly behind: readonly number[];
}

/** Rows of parts that are not committed. */
export interface RowsToDrop {
  readonly bySource: ReadonlyMap<number, LeftOut>;
  /** The condition that kept rows of `rowsOf(…, 'file_row_number')` meet. */
  readonly stays: string;
  drop(): Promise<void>;
}

export interface DropRequest {
  readonly parts: readonly Part[];
  readonly segments: readonly Segment[];
  /** Sources whose rows are about to be replaced. */
  readonly replaced: readonly number[];
}

/**
 * Finds rows of forgotten users, rows of the time that was pruned, and rows whose project and event id the store or an
 * earlier row already has. Of repeated rows the one stays that the store had first, in order of sources and then rows.
 * Rows without an id are separate events even if they are equal. Reads only columns of ids and times.
 */
export async function findRowsToDrop(writer: StoreWriter, order: DropRequest): Promise<RowsToDrop> {
  const table = `doomed_${writer.engine.nextNumber()}`;
  await writer.rows(`CREATE TABLE ${table} (source INTEGER, row_number BIGINT, reason VARCHAR, behind INTEGER)`);
  if (order.parts.length > 0) {
    await doomForgotten(writer, order, table);
    await doomPruned(writer, order, table);
    const holders = await findHolders(writer, order);
    if (holders) await doomKnown(writer, order, holders, table);
  }
  const counts = await writer.rows(
    `SELECT source, count(*) FILTER (reason = 'known'), count(*) FILTER (reason = 'forgotten'),
      count(*) FILTER (reason = 'pruned'), string_agg(DISTINCT behind, ' ') FROM ${table} GROUP BY source`,
  );
  return {
    bySource: new Map(
      counts.map(([source, known, forgotten, pruned, behind]) => [
        Number(source),
        {
          known: Number(known),
          forgotten: Number(forgotten),
          pruned: Number(pruned),
          behind: behind === null ? [] : String(behind).split(' ').map(Number),
        },
      ]),
    ),
    stays: notDoomed(table),
    drop: async () => void (await writer.rows(`DROP TABLE ${table}`)),
  };
}

async function doomForgotten(writer: StoreWriter, { parts }: DropRequest, table: string): Promise<void> {
  const { forgotten, salt } = writer.manifest;
  if (forgotten.length === 0) return;
  const written = rowsOf(
    parts.map(({ path }) => path),
    'file_row_number',
  );
  const ids = idColumns
    .map((column) => `SELECT DISTINCT ${column} AS id FROM ${written} WHERE ${column} <> ''`)
    .join(' UNION ');
  const found = await writer.rows(
    `SELECT id FROM (${ids}) WHERE sha256(${quoteText(salt)} || id) IN (${forgotten.map(quoteText).join(', ')})`,
  );
  if (found.length === 0) return;
  const names = found.map(([id]) => quoteId(String(id))).join(', ');
  await writer.rows(
    `INSERT INTO ${table} SELECT source, file_row_number, 'forgotten', NULL FROM ${written}
      WHERE ${idColumns.map((column) => `${column} IN (${names})`).join(' OR ')}`,
  );
}

/** Pruned events do not come back, and no others of their time come beside them, whatever file has them. */
async function doomPruned(writer: StoreWriter, { parts }: DropRequest, table: string): Promise<void> {
  const { pruned } = writer.manifest;
  if (pruned === undefined) return;
  const written = rowsOf(
    parts.map(({ path }) => path),
    'file_row_number',
  );
  await writer.rows(
    `INSERT INTO ${table} SELECT source, file_row_number, 'pruned', NULL FROM ${written} AS written
      WHERE ${earlier(pruned)} AND ${notDoomed(table)}`,
  );
}

function notDoomed(table: string): string {
  return `NOT EXISTS (FROM ${table} AS doomed WHERE doomed.source = written.source AND doomed.row_number = written.file_row_number)`;
}

/**
 * The paths of the segments that may contain the id of a row; undefined if no id repeats. Hashes answer this without
 * reading ids in nearly all cases.
 */
async function findHolders(
  writer: StoreWriter,
  { parts, segments, replaced }: DropRequest,
): Promise<readonly string[] | undefined> {
  const paths = parts.map(({ path }) => path);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const repeats = await findRepeats(writer, { paths, rows }, segments);
  const pathsOf = (some: readonly Segment[]) => some.map((segment) => segmentPath(writer.folder, segment));
  const unknown = pathsOf(repeats.unknown);
  const [met] =
    unknown.length === 0
      ? []
      : await writer.rows(
          `SELECT count(*) > 0 FROM (${keysOf(rowsOf(unknown), notOf(replaced))}) AS old
            SEMI JOIN (${keysOf(rowsOf(paths))}) AS fresh USING (key)`,
        );
  const holders = [...pathsOf(repeats.segments), ...(met?.[0] === true ? unknown : [])];
  return repeats.within || holders.length > 0 ? holders : undefined;
}

async function doomKnown(
  writer: StoreWriter,
  { parts, replaced }: DropRequest,
  holders: readonly string[],
  table: string,
): Promise<void> {
  const columns = "source, coalesce(project_id, '') AS project, event_id";
  const old =
    holders.length === 0
      ? `SELECT 0 AS source, '' AS project, '' AS event_id WHERE false`
      : `SELECT ${columns} FROM ${rowsOf(holders)} WHERE event_id <> '' AND ${notOf(replaced)}`;
  await writer.rows(`INSERT INTO ${table}
    WITH fresh AS (
      SELECT ${columns}, file_row_number FROM ${rowsOf(
        parts.map(({ path }) => path),
        'file_row_number',
      )} AS written
      WHERE event_id <> '' AND ${notDoomed(table)}
    ), held AS (
      SELECT project, event_id, min(source) AS holder FROM (${old}) AS old SEMI JOIN fresh USING (project, event_id) GROUP BY ALL
    ), placed AS (
      SELECT *, row_number() OVER by_id AS place, first_value(source) OVER by_id AS leader FROM fresh
      WINDOW by_id AS (PARTITION BY project, event_id ORDER BY ${firstSource(parts)}, source, file_row_number)
    )
    SELECT source, file_row_number, 'known', coalesce(holder, leader) FROM placed LEFT JOIN held USING (project, event_id)
    WHERE place > 1 OR holder IS NOT NULL`);
}

/** The source that the store first had a row from: rows of files that have grown keep theirs. */
function firstSource(parts: readonly Part[]): string {
  const cases = parts.flatMap(({ numbers: [number], label }) =>
    label === undefined ? [] : [`WHEN ${number} THEN ${label}`],
  );
  return cases.length === 0 ? 'source' : `CASE source ${cases.join(' ')} ELSE source END`;
}

/** A condition that excludes the rows of these sources. */
export function notOf(sources: readonly number[]): string {
  return sources.length === 0 ? 'true' : `source NOT IN (${sources.join(', ')})`;
}
