import { withParts } from '../../ask/cloneable.ts';
import type { Plan } from '../plan.ts';
import { firstEventColumns } from './derived-columns.ts';
import type { Dialect } from './dialect.ts';
import { bound, type Expression, sql, trusted } from './expression.ts';
import type { CommonTable, Statement } from './statement.ts';
import { toTotalStatement } from './to-statement.ts';

/** Events that belong to no session and to no user. */
export const outsideSessions = 'events without a user or a session ID';

/**
 * Counts the events that a plan over sessions or users leaves out: those without a user and a session ID. The plan's
 * ranges and conditions select them as if each were a session. undefined if the plan is not over such rows.
 */
export function toOutsideStatement(
  plan: Plan,
  dialect: Dialect,
  tables: readonly CommonTable[],
): Statement | undefined {
  const { kind } = plan.root.source;
  if (plan.ungrouped || (kind !== 'sessions' && kind !== 'users')) return undefined;
  const measure = plan.root.measures.find(({ type, filters }) => type === 'count' && filters.length === 0);
  const [column] = plan.columns;
  if (!measure || !column) return undefined;
  const events = withParts(plan, {
    columns: [column],
    dimensions: [],
    times: plan.times.map((time) => ({ ...time, granularity: undefined, column: undefined })),
    measures: [{ cube: plan.root, measure, column: 0 }],
    groupConditions: [],
    order: [],
    ungrouped: true,
  });
  const lowerSource: Dialect['lowerSource'] = (source, columns, project) =>
    source.kind === 'sessions' || source.kind === 'users'
      ? eventsOutside(columns, project)
      : dialect.lowerSource(source, columns, project);
  return toTotalStatement(events, { ...dialect, lowerSource }, tables);
}

/** The events as rows of both cubes. */
function eventsOutside(columns: ReadonlySet<string>, project: string | undefined): Expression {
  const isView = `event_type = 'pageview'`;
  const own = trusted(
    [
      ...firstEventColumns.filter((column) => columns.has(column)),
      ...['landing_page', 'exit_page']
        .filter((column) => columns.has(column))
        .map((column) => `CASE WHEN doc_path <> '' AND ${isView} THEN doc_path END AS ${column}`),
    ]
      .map((column) => `, ${column}`)
      .join(''),
  );
  const ofProject =
    project === undefined ? trusted('') : sql` AND project_id = ${bound({ type: 'text', value: project })}`;
  return sql`(SELECT project_id, user_key, session_id, event_id AS session_key, TRUE AS derived, FALSE AS shared, utc_time AS start_at, utc_time AS end_at,
    utc_time AS first_timestamp, utc_time AS last_timestamp, 1 AS events, 1 AS sessions, 0 AS shared_sessions,
    CASE WHEN ${trusted(isView)} THEN 1 ELSE 0 END AS page_views, 0 AS duration_ms${own}
    FROM "events" WHERE ${without('user_anonymous_id')} AND ${without('user_id')} AND ${without('session_id')}${ofProject})`;
}

/** In a form that skips row groups by their statistics: without it, the count would read the IDs of all events. */
function without(column: string): Expression {
  return trusted(`(${column} IS NULL OR ${column} = '')`);
}
