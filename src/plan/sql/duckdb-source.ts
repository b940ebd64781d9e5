import { invariant } from '../../ask/invariant.ts';
import type { CubeSource } from '../model/model.ts';
import { bound, joined, name, sql, trusted, type Expression } from './expression.ts';

/** Longest time between two neighbouring events of one derived session, ends included. */
const longestGapMinutes = 30;

/** The first event's own columns that a session carries on. */
const firstEventColumns = [
  'user_id', 'agent_name', 'agent_version', 'os_family', 'os_name', 'os_version', 'os_version_major',
  'browser_language', 'document_language', 'viewport_size', 'doc_host', 'doc_path', 'doc_search', 'referer', 'page_title', 'useragent',
] as const;

/** A relation for FROM. Of derived sources only those of the `columns` are computed that cost something. */
export function lowerDuckDbSource(source: CubeSource, columns: ReadonlySet<string>, project: string | undefined): Expression {
  switch (source.kind) {
    case 'table':
      return joinedName(source.table);
    case 'sql':
      return sql`(${joined(source.sql.map((part) => trusted(part.kind === 'text' ? part.text : '')), '')})`;
    case 'events':
      return project === undefined ? name('events') : sql`(SELECT * FROM "events"${ofProject(project)})`;
    case 'sessions':
      return sql`(${sessions(columns, project)})`;
    case 'users':
      return sql`(${users(columns, project)})`;
    case 'funnel':
      invariant(false, `users are followed before there are rows of the funnel ${source.funnel.name}`);
  }
}

/** `schema.table` names a table in a schema. */
function joinedName(table: string): Expression {
  return name(...table.split('.'));
}

function ofProject(project: string | undefined): Expression {
  return project === undefined ? trusted('') : sql` WHERE project_id = ${bound({ type: 'text', value: project })}`;
}

/**
 * One row a session: the tracker's session where an event has one, else one user's events with gaps of at most
 * 30:00 minutes. Events with neither session nor user belong to none. A session's user is that of its first event
 * that has one; its other attributes are those of its first event, equal times decided by event id, then by content,
 * so that the answer does not depend on the order of the files.
 */
function sessions(columns: ReadonlySet<string>, project: string | undefined): Expression {
  const attributes = firstEventColumns.filter((column) => columns.has(column));
  const carried = attributes.map((column) => `, ${column}`).join('');
  const first = attributes.length === 0 ? '' : `,
      min(struct_pack(t := utc_time, i := event_id${attributes.map((column) => `, ${column} := ${column}`).join('')})) AS first_event`;
  const summary = trusted(`min(utc_time) AS start_at, max(utc_time) AS end_at, count(*) AS events,
      count(*) FILTER (WHERE event_type = 'pageview') AS page_views${first}`);
  // Whether events of one session are of several users.
  const [trackedShared, derivedShared, shared] = (columns.has('shared')
    ? ['min(user_key) <> max(user_key) AS shared, ', 'FALSE AS shared, ', 'coalesce(shared, FALSE) AS shared, ']
    : ['', '', '']).map(trusted) as [Expression, Expression, Expression];
  // The summary repeats in both halves: the tracked half groups at once, only the derived half pays for a sort.
  // Read twice rather than materialized: so each half takes the columns alone that it needs, and DuckDB shares what it can.
  return sql`WITH visible AS NOT MATERIALIZED (
      SELECT project_id, user_key, session_id, utc_time, event_id, event_type${trusted(carried)} FROM "events"${ofProject(project)}
    ), gapped AS (
      SELECT *, utc_time - lag(utc_time) OVER by_user <= to_minutes(${trusted(String(longestGapMinutes))}) AS goes_on
      FROM visible WHERE coalesce(session_id, '') = '' AND user_key IS NOT NULL
      WINDOW by_user AS (PARTITION BY project_id, user_key ORDER BY utc_time)
    ), numbered AS (
      SELECT *, count(*) FILTER (WHERE goes_on IS NOT TRUE) OVER (PARTITION BY project_id, user_key ORDER BY utc_time RANGE UNBOUNDED PRECEDING) AS number
      FROM gapped
    ), grouped AS (
      SELECT project_id, 'tracked:' || session_id AS session_key, session_id, FALSE AS derived,
      arg_min(user_key, struct_pack(t := utc_time, i := event_id, u := user_key)) AS user_key, ${trackedShared}${summary}
      FROM visible WHERE session_id <> '' GROUP BY project_id, session_id
      UNION ALL
      SELECT project_id, 'derived:' || number || ':' || user_key AS session_key, NULL AS session_id, TRUE AS derived,
      user_key, ${derivedShared}${summary}
      FROM numbered GROUP BY project_id, user_key, number
    )
    SELECT project_id, coalesce(LENGTH(project_id) || ':' || project_id || '/', '') || session_key AS session_key, session_id, derived,
    user_key, ${shared}start_at, end_at, events, page_views, epoch_ms(end_at - start_at) AS duration_ms${trusted(attributes.map((column) => `, first_event.${column} AS ${column}`).join(''))}
    FROM grouped`;
}

/** One row a user that has had a session. */
function users(columns: ReadonlySet<string>, project: string | undefined): Expression {
  const isAsked = columns.has('shared_sessions');
  return sql`SELECT user_key, min(start_at) AS first_timestamp, max(end_at) AS last_timestamp, count(*) AS sessions${trusted(isAsked ? ', count(*) FILTER (WHERE shared) AS shared_sessions' : '')}
  FROM (${sessions(new Set(isAsked ? ['shared'] : []), project)}) AS sessions_of_users WHERE user_key IS NOT NULL GROUP BY user_key`;
}
