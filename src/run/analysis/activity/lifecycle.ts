import { lifecycleStatuses } from '../../../ask/activity/lifecycle.ts';
import { toBucketStart, writeBucketLabel } from '../../../ask/time/buckets.ts';
import { lifecycleOf, lifecyclePeriods } from '../../../plan/analysis/lifecycle/lifecycle-analysis.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { allOf, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import {
  type ActivityInWords,
  alwaysConditions,
  bucketExpression,
  matchExpression,
  toLabel,
} from './activity-words.ts';
import { followedKey, lookedAtEvents } from '../event-condition.ts';
import { gathered, periodSets } from './period-sets.ts';

/** Users by their status, from a period and the one before. */
export function lifecycleInWords(plan: Plan, dialect: Dialect): ActivityInWords {
  const { definition, bound } = computedHere(lifecycleOf(plan));
  const { period } = definition;
  const periods = lifecyclePeriods(plan, definition);
  const window = { start: periods[0]!.start, end: periods.at(-1)!.end };
  const start = toBucketStart(window.start - 1, period, plan.zone, plan.weekStart);
  const before = {
    start,
    end: window.start,
    label: writeBucketLabel(start, period, plan.zone, plan.weekStart),
  };
  const sets = listsUsers(plan) ? undefined : periodSets(periods.length + 1, dialect);
  // The period before the first one has the number -1.
  const rows = [before, ...periods].map(
    (bucket, index) =>
      sql`(${trusted(String(index - 1))}, ${dialect.timestamp(bucket.start)},
        ${toLabel(bucket, period, dialect)}${trusted(sets ? `, ${sets.only(index)}, ${sets.only(Math.max(index - 1, 0))}` : '')})`,
  );
  const statuses = lifecycleStatuses.map((status) => trusted(`('${status}')`));
  const active = matchExpression(definition.active, bound.active, dialect);
  const always = alwaysConditions(plan, bound.where, dialect);
  const reach = { start: before.start, end: window.end };
  const time = trusted('utc_time');
  const who = followedKey(bound.follow, dialect);
  const known = sql`${who} IS NOT NULL`;
  const frame = sql`WITH frame AS MATERIALIZED (
  SELECT * FROM (VALUES ${joined(rows, ', ')}) AS frame(n, time, label${trusted(sets ? ', bit, before' : '')})
)`;
  const reached = sql`FROM ${lookedAtEvents(dialect)} WHERE ${allOf([within(time, { end: window.end }), known, ...always])}`;
  const bucket = bucketExpression(plan, period, reach, time, dialect);
  const tables = sets
    ? sql`${frame}, people AS MATERIALIZED (
  SELECT ${gathered(trusted('is_active'), sets)} AS periods, min(coalesce(n, -2)) AS first_n FROM (
    SELECT ${who} AS who, CASE WHEN ${within(time, reach)} THEN ${bucket} END AS label, ${active} AS is_active
    ${reached}
  ) AS bucketed LEFT JOIN frame USING (label) GROUP BY who
), hits AS (
  SELECT n, CASE WHEN periods & bit = 0 THEN 'dormant' WHEN first_n = n THEN 'new'
  WHEN periods & before <> 0 THEN 'returning' ELSE 'resurrecting' END AS status
  FROM people JOIN frame ON periods & (bit | before) <> 0 WHERE n >= 0
)`
    : sql`${frame}, active AS MATERIALIZED (
  SELECT who, n, time FROM (
    SELECT DISTINCT ${who} AS who, ${bucket} AS label
    FROM ${lookedAtEvents(dialect)} WHERE ${allOf([within(time, reach), known, ...always, active])}
  ) AS bucketed JOIN frame USING (label)
), firsts AS (
  SELECT ${who} AS who, min(utc_time) AS first_at ${reached} GROUP BY ALL
), hits AS (
  SELECT active.who AS who, active.n AS n, CASE WHEN first_at >= active.time THEN 'new'
  WHEN earlier.who IS NOT NULL THEN 'returning' ELSE 'resurrecting' END AS status
  FROM active JOIN firsts ON firsts.who = active.who
  LEFT JOIN active AS earlier ON earlier.who = active.who AND earlier.n = active.n - 1
  WHERE active.n >= 0
  UNION ALL
  SELECT active.who AS who, active.n + 1 AS n, 'dormant' AS status
  FROM active LEFT JOIN active AS later ON later.who = active.who AND later.n = active.n + 1
  WHERE later.who IS NULL
)`;
  const relation = listsUsers(plan)
    ? sql`(${tables}
SELECT time, label, status, who AS user_key FROM frame JOIN hits USING (n))`
    : sql`(${tables}, counted AS (
  SELECT n, status, count(*) * CASE WHEN status = 'dormant' THEN -1 ELSE 1 END AS users FROM hits GROUP BY n, status
)
SELECT time, label, status, coalesce(users, 0) AS users
FROM frame CROSS JOIN (VALUES ${joined(statuses, ', ')}) AS statuses(status) LEFT JOIN counted USING (n, status)
WHERE n >= 0)`;
  const nobody = sql`SELECT count(*) FROM ${lookedAtEvents(dialect)}
    WHERE ${allOf([within(time, reach), sql`${who} IS NULL`, ...always, active])}`;
  const named = { definition, matches: [definition.active], conditions: [...bound.where, ...bound.active] };
  return { period, window, relation, nobody, named, read: [bound.follow && who, active, ...always] };
}
