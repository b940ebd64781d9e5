import { stickinessOf, stickinessPeriods } from '../../../plan/analysis/stickiness/stickiness-analysis.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { allOf, type Expression, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { followedKey, lookedAtEvents } from '../event-condition.ts';
import { periodSets } from './period-sets.ts';
import {
  type ActivityInWords,
  alwaysConditions,
  bucketExpression,
  matchExpression,
  toLabel,
} from './activity-words.ts';

/** Users by their number of slots. */
export function stickinessInWords(plan: Plan, dialect: Dialect): ActivityInWords {
  const { definition, bound } = computedHere(stickinessOf(plan));
  const { period, every, perSlot, cumulative } = definition;
  const periods = stickinessPeriods(plan, definition);
  const window = { start: periods[0]!.start, end: periods.at(-1)!.end };
  const slots = Math.ceil(periods.length / every);
  const isOnce = perSlot.operator === '>=' && perSlot.events === 1;
  const sets = isOnce ? periodSets(slots, dialect) : undefined;
  const rows = periods.map((bucket, index) => {
    const slot = Math.floor(index / every);
    return sql`(${trusted(sets?.only(slot) ?? String(slot))}, ${toLabel(bucket, period, dialect)})`;
  });
  const active = matchExpression(definition.active, bound.active, dialect);
  const always = alwaysConditions(plan, bound.where, dialect);
  const time = trusted('utc_time');
  const who = followedKey(bound.follow, dialect);
  const looked = (whose: Expression) =>
    sql`FROM ${lookedAtEvents(dialect)} WHERE ${allOf([within(time, window), whose, ...always, active])}`;
  const labelled = sql`${who} AS who, ${bucketExpression(plan, period, window, time, dialect)} AS label`;
  const events = looked(sql`${who} IS NOT NULL`);
  const frame = sql`WITH frame AS (
  SELECT * FROM (VALUES ${joined(rows, ', ')}) AS frame(slot, label)
)`;
  const tables = sets
    ? sql`${frame}, active AS (
  SELECT who, CAST(bit_count(bit_or(slot)) AS BIGINT) AS slots FROM (
    SELECT ${labelled} ${events}
  ) AS bucketed JOIN frame USING (label) GROUP BY who
)`
    : sql`${frame}, slots AS (
  SELECT who, slot FROM (
    SELECT ${labelled}, count(*) AS seen ${events} GROUP BY ALL
  ) AS bucketed JOIN frame USING (label)
  GROUP BY ALL HAVING sum(seen) ${trusted(`${perSlot.operator} ${perSlot.events}`)}
), active AS (
  SELECT who, CAST(count(*) AS BIGINT) AS slots FROM slots GROUP BY who
)`;
  const shown = dialect.numbers(1, slots + 1, 'shown', 'periods');
  const counts = trusted(`slots ${cumulative ? '>=' : '='} periods`);
  const relation = listsUsers(plan)
    ? sql`(${tables}
SELECT periods, who AS user_key FROM ${shown} JOIN active ON ${counts})`
    : sql`(${tables}, counted AS MATERIALIZED (
  SELECT slots, count(*) AS users FROM active GROUP BY ALL
)
SELECT periods, CAST(sum(held.users) AS BIGINT) AS users, coalesce((SELECT CAST(sum(counted.users) AS BIGINT) FROM counted), 0) AS total
FROM (SELECT periods, 0 AS users FROM ${shown} UNION ALL SELECT periods, users FROM ${shown} JOIN counted ON ${counts}) AS held
GROUP BY ALL)`;
  return {
    period,
    window,
    relation,
    read: [bound.follow && who, active, ...always],
    named: { definition, matches: [definition.active], conditions: [...bound.where, ...bound.active] },
    nobody: sql`SELECT count(*) ${looked(sql`${who} IS NULL`)}`,
  };
}
