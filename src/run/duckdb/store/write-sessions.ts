import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { duckDb, lowerSessions } from '../../../plan/sql/duckdb.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import type { ProjectionFile, StoreProjections } from '../../store/projection-files.ts';
import { type Segment, segmentPath } from '../../store/store-manifest.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';
import { userKey } from '../reading/columns/event-columns.ts';
import type { FileWriter } from './file-writer.ts';
import { rowsOf } from './segment-columns.ts';

type SessionFiles = NonNullable<StoreProjections['sessions']>;

export interface SessionsOrder {
  readonly segments: readonly Segment[];
  /** The segments that contain new events, possibly among old ones. */
  readonly fresh: readonly Segment[];
  /** Earlier segments that are gone, if events were removed. */
  readonly gone: readonly Segment[];
  /** The earlier sessions; undefined to rebuild all. */
  readonly before: SessionFiles | undefined;
  /** SQL for the rows of a projection's files. */
  readonly filesOf: (files: readonly ProjectionFile[]) => string;
  /** SQL for the codes of all users. */
  readonly codes: string;
  readonly writeFile: (kind: string, select: string) => Promise<ProjectionFile>;
  /** The number of events that are made into sessions at once. Default: `mostRows`. */
  readonly rowsAtOnce?: number | undefined;
}

/** The longest gap between consecutive events of a derived session. */
const reach = 'to_minutes(30)';

/**
 * Writes the sessions of a store, one file per month of their start. New events can start, extend, join or share
 * sessions. Sessions that they may affect are rebuilt from events; all others stay.
 */
export async function writeSessions(writer: FileWriter, order: SessionsOrder): Promise<SessionFiles> {
  const { segments, before, filesOf, codes, writeFile, rowsAtOnce = mostRows } = order;
  const number = writer.engine.nextNumber();
  const [touched, built, named] = [
    `touched_sessions_${number}`,
    `built_sessions_${number}`,
    `named_sessions_${number}`,
  ];
  const split = path.join(writer.engine.folder, `split-${number}`);
  const fresh = before ? order.fresh : segments;
  const old = before && before.length > 0 ? filesOf(before) : undefined;
  try {
    await writer.rows(
      `CREATE TABLE ${touched} (project_id VARCHAR, key UBIGINT, user_key INTEGER, start_at TIMESTAMP, month VARCHAR, low TIMESTAMP, high TIMESTAMP)`,
    );
    if (old && fresh.length + order.gone.length > 0) {
      const changed = [...fresh, ...order.gone].map((segment) => eventsOf(writer, [segment]));
      await findTouched(writer, { touched, old, events: changed.join(' UNION ALL '), codes });
    }
    const others = await otherEvents(writer, order, touched, fresh);
    const events = [...(fresh.length > 0 ? [eventsOf(writer, fresh)] : []), ...others].join(' UNION ALL ');
    await writer.rows(
      `CREATE TABLE ${built} (month VARCHAR, project_id VARCHAR, key UBIGINT, user_key INTEGER, shared BOOLEAN,
        derived BOOLEAN, start_at TIMESTAMP, duration_us BIGINT, page_views UINTEGER)`,
    );
    const sessions = printStatement(lowerSessions(new Set(['shared']), undefined), duckDb).text;
    const rows = fresh.reduce((sum, segment) => sum + segment.rows, 1);
    for (const part of await partsOf(writer, events, Math.ceil(rows / rowsAtOnce), split)) {
      // The dialect's SQL for sessions reads the view of this name.
      await writer.rows(`CREATE OR REPLACE VIEW events AS ${part}`);
      // A table's size is known, so that the join with the codes holds the part's sessions in memory, not the codes of
      // all users.
      await writer.rows(`CREATE OR REPLACE TABLE ${named} AS
      SELECT project_id, CASE WHEN derived THEN NULL ELSE hash(project_id, session_id) END AS key, user_key AS name,
      shared, derived, start_at,
      epoch_us(end_at) - epoch_us(start_at) AS duration_us, page_views FROM (${sessions})`);
      await writer.rows(`INSERT INTO ${built}
      SELECT strftime(start_at, '%Y-%m') AS month, project_id, key, code AS user_key, shared, derived, start_at, duration_us, page_views
      FROM ${named} LEFT JOIN (SELECT user_key AS name, code FROM ${codes}) USING (name)`);
    }
    const months = await writer.rows(`SELECT month FROM ${built} UNION SELECT month FROM ${touched} ORDER BY month`);
    const changed = new Set(months.map(([month]) => String(month)));
    const files: (ProjectionFile & { readonly month: string })[] = (before ?? []).filter(
      ({ month }) => !changed.has(month),
    );
    for (const month of changed) {
      const here = (before ?? []).filter((file) => file.month === month);
      const kept =
        here.length === 0
          ? ''
          : ` UNION ALL SELECT ${columns} FROM ${filesOf(here)} AS kept WHERE NOT EXISTS (FROM ${touched} AS gone WHERE gone.key = kept.key)
            AND NOT EXISTS (FROM ${touched} AS gone
            WHERE kept.key IS NULL AND gone.key IS NULL AND gone.user_key = kept.user_key
            AND gone.start_at = kept.start_at AND gone.project_id IS NOT DISTINCT FROM kept.project_id)`;
      const rows = `SELECT ${columns} FROM ${built} WHERE month = ${quoteText(month)}${kept}`;
      const [counted] = await writer.rows(`SELECT count(*) FROM (${rows})`);
      if (Number(counted?.[0]) > 0)
        files.push({ ...(await writeFile('sessions', `${rows} ORDER BY start_at`)), month });
    }
    return files;
  } finally {
    await writer.rows('DROP VIEW IF EXISTS events');
    await writer.rows(`DROP TABLE IF EXISTS ${touched}`);
    await writer.rows(`DROP TABLE IF EXISTS ${built}`);
    await writer.rows(`DROP TABLE IF EXISTS ${named}`);
    await rm(split, { recursive: true, force: true });
  }
}

/** The number of events that are made into sessions at once, so that they fit in the writer's memory. */
const mostRows = 3_000_000;

/**
 * SQL for the events, in parts that each hold all events of their sessions. Several parts are written to files first,
 * so that the events are read once.
 */
async function partsOf(writer: FileWriter, events: string, count: number, folder: string): Promise<readonly string[]> {
  if (events === '') return [];
  if (count === 1) return [events];
  const part = `CASE WHEN session_id <> '' THEN hash(project_id, session_id) ELSE hash(project_id, user_key) END % ${count}`;
  await writer.rows(
    `COPY (SELECT *, ${part} AS part FROM (${events})) TO ${quoteText(folder)} (FORMAT parquet, PARTITION_BY (part), COMPRESSION lz4)`,
  );
  const parts = (await readdir(folder)).sort().map((name) => path.join(folder, name));
  return Promise.all(
    parts.map(async (own) => {
      const paths = (await readdir(own)).sort().map((name) => path.join(own, name));
      return `SELECT * FROM read_parquet(${quotePaths(paths)}, hive_partitioning = false)`;
    }),
  );
}

const columns = 'project_id, key, user_key, shared, derived, start_at, duration_us, page_views';

function eventsOf(writer: FileWriter, segments: readonly Segment[]): string {
  const paths = segments.map((segment) => segmentPath(writer.folder, segment));
  return `SELECT project_id, ${userKey('anonymous')} AS user_key, session_id, utc_time, event_id, event_type FROM ${rowsOf(paths)}`;
}

interface TouchedOrder {
  readonly touched: string;
  readonly old: string;
  readonly events: string;
  readonly codes: string;
}

/**
 * Finds the sessions to rebuild: tracked sessions whose hash has new events, and derived sessions within reach of a
 * user's new events without a session. `low` and `high` bound the events of a hash or user that are read again.
 */
async function findTouched(writer: FileWriter, { touched, old, events, codes }: TouchedOrder): Promise<void> {
  await writer.rows(`INSERT INTO ${touched}
    SELECT project_id, key, user_key, start_at, strftime(start_at, '%Y-%m'), start_at, start_at + to_microseconds(duration_us) FROM ${old}
    SEMI JOIN (SELECT DISTINCT hash(project_id, session_id) AS key FROM (${events}) WHERE session_id <> '') USING (key)`);
  await writer.rows(`INSERT INTO ${touched}
    WITH active AS MATERIALIZED (
      SELECT project_id, code, first_at, last_at FROM (
        SELECT project_id, user_key, min(utc_time) AS first_at, max(utc_time) AS last_at FROM (${events})
        WHERE coalesce(session_id, '') = '' AND user_key IS NOT NULL GROUP BY project_id, user_key
      ) JOIN ${codes} USING (user_key)
    ), met AS MATERIALIZED (
      SELECT kept.project_id, kept.user_key, start_at, start_at + to_microseconds(duration_us) AS end_at, first_at,
      last_at FROM ${old} AS kept
      JOIN active ON active.code = kept.user_key AND active.project_id IS NOT DISTINCT FROM kept.project_id
      WHERE derived AND start_at <= last_at + ${reach} AND start_at + to_microseconds(duration_us) >= first_at - ${reach}
    )
    SELECT project_id, NULL, user_key, start_at, strftime(start_at, '%Y-%m'),
    least(first_at, min(start_at) OVER by_user), greatest(last_at, max(end_at) OVER by_user)
    FROM met WINDOW by_user AS (PARTITION BY project_id, user_key)`);
}

/** SQL for the events of affected sessions in segments without new events. */
async function otherEvents(
  writer: FileWriter,
  { segments, codes }: SessionsOrder,
  touched: string,
  fresh: readonly Segment[],
): Promise<readonly string[]> {
  const others = segments.filter((segment) => !fresh.includes(segment));
  const [ends] = await writer.rows(`SELECT CAST(min(low) AS VARCHAR), CAST(max(high) AS VARCHAR) FROM ${touched}`);
  if (others.length === 0 || typeof ends?.[0] !== 'string') return [];
  const within = `utc_time BETWEEN TIMESTAMP ${quoteText(ends[0])} AND TIMESTAMP ${quoteText(String(ends[1]))}`;
  const read = `SELECT * FROM (${eventsOf(writer, others)}) WHERE ${within}`;
  return [
    `SELECT * FROM (${read}) WHERE session_id <> '' AND hash(project_id, session_id) IN (SELECT key FROM ${touched} WHERE key IS NOT NULL)`,
    `SELECT read.* FROM (${read}) AS read JOIN (
      SELECT DISTINCT touched.project_id, named.user_key, low, high FROM ${touched} AS touched
      JOIN ${codes} AS named ON named.code = touched.user_key WHERE key IS NULL
    ) AS whose ON whose.user_key = read.user_key AND whose.project_id IS NOT DISTINCT FROM read.project_id
    WHERE coalesce(session_id, '') = '' AND utc_time BETWEEN low AND high`,
  ];
}
