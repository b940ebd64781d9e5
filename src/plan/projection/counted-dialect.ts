import type { Dialect } from '../sql/dialect.ts';
import { allOf, bound, name, sql, trusted } from '../sql/expression.ts';
import { type EventCounts, eventCountColumn } from './projections.ts';

/** The dialect for plans over events that counts of them answer: each row stands for as many events as it says. */
export function countedDialect(dialect: Dialect, { relation }: EventCounts): Dialect {
  return {
    ...dialect,
    lowerSource: (source, columns, project) =>
      source.kind !== 'events'
        ? dialect.lowerSource(source, columns, project)
        : project === undefined
          ? name(relation)
          : sql`(SELECT * FROM ${name(relation)} WHERE project_id = ${bound({ type: 'text', value: project })})`,
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
