import { bound, sql, trusted, type Expression } from '../../plan/sql/expression.ts';

/** The column that `withSessions` adds to the events; null where an event has neither session nor user. */
export const sessionKeyColumn = 'funnel_session';

/**
 * All events with the key of their session: the tracker's where an event has one, else one user's events with at most
 * 30:00 minutes between neighbours, over all history: as sessions are in the cube `Sessions`.
 */
export function withSessions(project: string | undefined): Expression {
  const ofProject = project === undefined ? trusted('') : sql` WHERE project_id = ${bound({ type: 'text', value: project })}`;
  const key = trusted(`coalesce(length(project_id) || ':' || project_id || '/', '')`);
  const tracked = sql`SELECT *, ${key} || 'tracked:' || session_id AS ${trusted(sessionKeyColumn)} FROM "events"${ofProject}`;
  const owner = trusted('PARTITION BY project_id, user_key ORDER BY utc_time');
  return sql`(SELECT * FROM (${tracked}) AS tracked WHERE session_id <> ''
    UNION ALL BY NAME
    SELECT * EXCLUDE (goes_on, number), CASE WHEN user_key IS NOT NULL THEN ${key} || 'derived:' || number || ':' || user_key END AS ${trusted(sessionKeyColumn)}
    FROM (SELECT *, count(*) FILTER (WHERE goes_on IS NOT TRUE) OVER (${owner} RANGE UNBOUNDED PRECEDING) AS number
      FROM (SELECT *, utc_time - lag(utc_time) OVER (${owner}) <= INTERVAL 30 MINUTE AS goes_on
        FROM (SELECT * FROM "events"${ofProject}) AS visible WHERE coalesce(session_id, '') = '') AS gapped) AS numbered)`;
}
