import type { Dialect } from '../sql/dialect.ts';
import { lowerUsers } from '../sql/duckdb.ts';
import { allOf, bound, type Expression, name, sql, trusted } from '../sql/expression.ts';
import { codedEvents, type EventCounts, eventCountColumn, keptSessions } from './projections.ts';

/** The dialect for plans over events that counts of them answer: each row stands for as many events as it says. */
export function countedDialect(dialect: Dialect, { relation, ungrouped }: EventCounts): Dialect {
  const lowerSource: Dialect['lowerSource'] = (source, columns, project) =>
    source.kind !== 'events' ? dialect.lowerSource(source, columns, project) : sql`(${rowsOf(relation, project)})`;
  if (ungrouped) return { ...dialect, lowerSource };
  return {
    ...dialect,
    lowerSource,
    aggregate(measure, value, conditions) {
      if (measure.type !== 'count') return dialect.aggregate(measure, value, conditions);
      const counted = sql`sum(${trusted(eventCountColumn)})`;
      const sum = conditions.length === 0 ? counted : sql`${counted} FILTER (WHERE ${allOf(conditions)})`;
      // Of no rows a sum is null, and a count 0.
      return sql`CAST(coalesce(${sum}, 0) AS BIGINT)`;
    },
    countRows: (conditions) =>
      sql`CAST(coalesce(sum(${trusted(eventCountColumn)}) FILTER (WHERE ${allOf(conditions)}), 0) AS BIGINT)`,
  };
}

/** The dialect for analyses that coded events answer. */
export function codedDialect(dialect: Dialect): Dialect {
  return {
    ...dialect,
    lowerSource: (source, columns, project) =>
      source.kind === 'events' && project === undefined
        ? name(codedEvents.relation)
        : dialect.lowerSource(source, columns, project),
  };
}

/** The dialect for plans over sessions and users that kept sessions answer. */
export function sessionsDialect(dialect: Dialect): Dialect {
  return {
    ...dialect,
    lowerSource(source, columns, project) {
      if (source.kind === 'sessions') return sql`(${rowsOf(keptSessions.relation, project)})`;
      if (source.kind === 'users') return sql`(${lowerUsers(columns, rowsOf(keptSessions.relation, project))})`;
      return dialect.lowerSource(source, columns, project);
    },
  };
}

function rowsOf(relation: string, project: string | undefined): Expression {
  const all = sql`SELECT * FROM ${name(relation)}`;
  return project === undefined ? all : sql`${all} WHERE project_id = ${bound({ type: 'text', value: project })}`;
}
