import { invariant } from '../../../ask/invariant.ts';
import { stickinessOf, stickinessPeriods } from '../../../plan/analysis/stickiness/stickiness-analysis.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import { allOf, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { toActivityEngine } from './activity-engine.ts';
import { alwaysConditions, bucketExpression, matchExpression, toLabel } from './activity-words.ts';

/** Users by the number of their slots. */
export const stickinessEngine = toActivityEngine((plan) => {
  const { definition, bound } = stickinessOf(plan) ?? {};
  invariant(definition && bound, 'the plan asks a stickiness that is computed here');
  const { period, every, perSlot, cumulative } = definition;
  const periods = stickinessPeriods(plan, definition);
  const window = { start: periods[0]!.start, end: periods.at(-1)!.end };
  const rows = periods.map(
    (bucket, index) => sql`(${trusted(String(Math.floor(index / every)))}, ${toLabel(bucket, period)})`,
  );
  const slots = Math.ceil(periods.length / every);
  const active = matchExpression(definition.active, bound.active);
  const always = alwaysConditions(plan, bound.where);
  const time = trusted('utc_time');
  const looked = (whose: string) =>
    sql`FROM "events" AS looked_at WHERE ${allOf([within(time, window), trusted(whose), ...always, active])}`;
  const tables = sql`WITH frame AS (
  SELECT * FROM (VALUES ${joined(rows, ', ')}) AS frame(slot, label)
), slots AS (
  SELECT who, slot FROM (
    SELECT ${trusted(userKeyColumn)} AS who, ${bucketExpression(plan, period, window, time)} AS label, count(*) AS events
    ${looked(`${userKeyColumn} IS NOT NULL`)} GROUP BY ALL
  ) AS bucketed JOIN frame USING (label)
  GROUP BY ALL HAVING sum(events) ${trusted(`${perSlot.operator} ${perSlot.events}`)}
), active AS (
  SELECT who, count(*) AS slots FROM slots GROUP BY who
)`;
  const shown = sql`range(1, ${trusted(String(slots + 1))}) AS shown(periods)`;
  const counts = trusted(`slots ${cumulative ? '>=' : '='} periods`);
  const relation = listsUsers(plan)
    ? sql`(${tables}
SELECT periods, who AS user_key FROM ${shown} JOIN active ON ${counts})`
    : sql`(${tables}, counted AS MATERIALIZED (
  SELECT slots, count(*) AS users FROM active GROUP BY ALL
)
SELECT periods, CAST(coalesce(sum(users), 0) AS BIGINT) AS users, coalesce((SELECT CAST(sum(users) AS BIGINT) FROM counted), 0) AS total
FROM ${shown} LEFT JOIN counted ON ${counts}
GROUP BY ALL)`;
  return {
    period,
    window,
    relation,
    named: { matches: [definition.active], conditions: [...bound.where, ...bound.active] },
    nobody: sql`SELECT count(*) ${looked(`${userKeyColumn} IS NULL`)}`,
  };
});
