import { type Expression, sql, trusted } from '../expression.ts';
import { firstEventColumns, firstSessionColumns, longestGapMinutes } from '../derived-columns.ts';
import { whereProject } from '../of-project.ts';

/**
 * Sessions and users by the rules of `duckdb.ts`. In ClickHouse an alias takes precedence over a column of the same
 * name, so inner expressions have other names. It cannot order by null, so a nullable value becomes two columns:
 * whether it is null, and its text.
 */

const endPages = { landing_page: 'min', exit_page: 'max' } as const;
const isView = `(doc_path <> '' AND event_type = 'pageview')`;
/** Events without an ID sort last among events of the same time. */
const place = `utc_time, event_id IS NULL, ifNull(event_id, '')`;

/** One row per session. */
export function lowerSessions(columns: ReadonlySet<string>, project: string | undefined): Expression {
  const attributes = firstEventColumns.filter((column) => columns.has(column));
  const ends = Object.entries(endPages).filter(([column]) => columns.has(column));
  const shownEnds = ends.map(([column]) => `, session_${column} AS ${column}`).join('');
  const read = ends.length > 0 && !attributes.includes('doc_path') ? [...attributes, 'doc_path'] : attributes;
  const first =
    attributes.length === 0
      ? ''
      : `, min(tuple(${place}${attributes.map((column) => `, ${column} IS NULL, ifNull(${column}, '')`).join('')})) AS first_event_of_session`;
  const summary = `min(utc_time) AS session_start, max(utc_time) AS session_end, count(*) AS session_events, countIf(event_type = 'pageview') AS session_views${ends
    .map(
      ([column, end]) =>
        `, if(countIf(${isView}) = 0, NULL, ${end}If(tuple(${place}, ifNull(doc_path, '')), ${isView}).4) AS session_${column}`,
    )
    .join('')}${first}`;
  const isShared = columns.has('shared');
  // Tuple indexes count from 1. The first three values order the events.
  const firstOf = (index: number) =>
    `if(first_event_of_session.${index * 2 + 4}, NULL, first_event_of_session.${index * 2 + 5})`;
  const shownAttributes = attributes.map((column, index) => `, ${firstOf(index)} AS ${column}`).join('');
  const micros = 'toUnixTimestamp64Micro(utc_time)';
  const seen = trusted(
    ['project_id', 'user_key', 'session_id', 'utc_time', 'event_id', 'event_type', ...read].join(', '),
  );
  return sql`WITH visible AS (
      SELECT ${seen} FROM "events"${whereProject(project)}
    ), gapped AS (
      SELECT ${seen}, ifNull(${trusted(micros)} - lagInFrame(toNullable(${trusted(micros)}))
        OVER (PARTITION BY project_id, user_key ORDER BY utc_time ASC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
        <= ${trusted(String(longestGapMinutes * 60_000_000))}, 0) AS goes_on
      FROM visible WHERE ifNull(session_id, '') = '' AND user_key IS NOT NULL
    ), numbered AS (
      SELECT ${seen}, countIf(NOT goes_on) OVER (PARTITION BY project_id, user_key
      ORDER BY utc_time ASC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS number_of_session
      FROM gapped
    ), grouped AS (
      SELECT project_id, concat('tracked:', session_id) AS session_name, session_id AS tracked_id, false AS is_derived,
      if(countIf(user_key IS NOT NULL) = 0, NULL, minIf(tuple(${trusted(place)}, ifNull(user_key, '')),
      user_key IS NOT NULL).4) AS session_user,
      ${trusted(isShared ? 'ifNull(min(user_key) <> max(user_key), 0) AS is_shared, ' : '')}${trusted(summary)}
      FROM visible WHERE session_id <> '' GROUP BY project_id, session_id
      UNION ALL
      SELECT project_id, concat('derived:', toString(number_of_session), ':', user_key) AS session_name,
      NULL AS tracked_id, true AS is_derived,
      user_key AS session_user,
      ${trusted(isShared ? '0 AS is_shared, ' : '')}${trusted(summary)}
      FROM numbered GROUP BY project_id, user_key, number_of_session
    )
    SELECT project_id, concat(coalesce(concat(toString(lengthUTF8(project_id)), ':', project_id, '/'), ''),
    session_name) AS session_key, tracked_id AS session_id, is_derived AS derived,
    session_user AS user_key${trusted(isShared ? ', is_shared AS shared' : '')}, session_start AS start_at,
    session_end AS end_at, session_events AS events, session_views AS page_views,
    intDiv(toUnixTimestamp64Micro(session_end) - toUnixTimestamp64Micro(session_start),
    1000) AS duration_ms${trusted(shownEnds)}${trusted(shownAttributes)}
    FROM grouped`;
}

/** One row per user with a session. */
export function lowerUsers(columns: ReadonlySet<string>, project: string | undefined): Expression {
  const isAsked = columns.has('shared_sessions');
  const attributes = firstSessionColumns.filter((column) => columns.has(column));
  const first =
    attributes.length === 0
      ? ''
      : `, argMin(tuple(${attributes.map((column) => `${column}, 0`).join(', ')}), tuple(start_at, session_key)) AS first_session`;
  const shared = isAsked ? ', number_shared AS shared_sessions' : '';
  const shown = attributes.map((column, index) => `, first_session.${index * 2 + 1} AS ${column}`).join('');
  return sql`SELECT user_key, first_seen AS first_timestamp, last_seen AS last_timestamp,
    number_of_sessions AS sessions${trusted(shared)}${trusted(shown)}
  FROM (SELECT user_key, min(start_at) AS first_seen, max(end_at) AS last_seen,
  count(*) AS number_of_sessions${trusted(isAsked ? ', countIf(shared) AS number_shared' : '')}${trusted(first)}
  FROM (${lowerSessions(new Set([...(isAsked ? ['shared'] : []), ...attributes]), project)}) AS sessions_of_users
  WHERE user_key IS NOT NULL GROUP BY user_key) AS users_grouped`;
}

/** All events with their session's key, as in `withSessions` of the embedded engine: `funnel_session`. */
export function eventsWithSessions(project: string | undefined): Expression {
  const where = whereProject(project);
  const key = trusted(`coalesce(concat(toString(lengthUTF8(project_id)), ':', project_id, '/'), '')`);
  const micros = trusted('toUnixTimestamp64Micro(utc_time)');
  const owner = trusted('PARTITION BY project_id, user_key ORDER BY utc_time ASC');
  const gap = trusted(String(longestGapMinutes * 60_000_000));
  return sql`(SELECT *, concat(${key}, 'tracked:', session_id) AS funnel_session
    FROM (SELECT * FROM "events"${where}) AS tracked WHERE session_id <> ''
    UNION ALL
    SELECT * EXCEPT (goes_on, number_of_session), if(user_key IS NOT NULL,
    concat(${key}, 'derived:', toString(number_of_session), ':', user_key), NULL) AS funnel_session
    FROM (SELECT *, countIf(NOT goes_on) OVER (${owner} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS number_of_session
      FROM (SELECT *, ifNull(${micros} - lagInFrame(toNullable(${micros})) OVER (${owner} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) <= ${gap}, 0) AS goes_on
        FROM (SELECT * FROM "events"${where}) AS visible WHERE ifNull(session_id, '') = '') AS gapped) AS numbered)`;
}
