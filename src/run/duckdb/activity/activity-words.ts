import type { ActivityPeriod } from '../../../ask/activity/retention.ts';
import type { EventMatch } from '../../../ask/analysis/event-match.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { Bucket, TimeRange } from '../../../ask/time/range.ts';
import type { Condition, Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { allOf, type Expression, present, sql } from '../../../plan/sql/expression.ts';
import { ofProject } from '../../../plan/sql/of-project.ts';
import { lowerConditions, matchConditions } from '../session/event-condition.ts';

/** Whether an event of `looked_at` meets a match and its conditions; never null. */
export function matchExpression(match: EventMatch, conditions: readonly Condition[], dialect: Dialect): Expression {
  return sql`coalesce(${allOf([...matchConditions(match), ...present(lowerConditions(conditions, dialect))])}, FALSE)`;
}

/** Conditions for all events that an analysis reads. */
export function alwaysConditions(
  { project }: Plan,
  where: readonly Condition[],
  dialect: Dialect,
): readonly Expression[] {
  return [...ofProject(project), ...present(lowerConditions(where, dialect))];
}

/** The label of the period that contains an instant of the window. Equals `toLabel`. */
export function bucketExpression(
  { zone, weekStart }: Plan,
  period: ActivityPeriod,
  window: TimeRange,
  instant: Expression,
  dialect: Dialect,
): Expression {
  return dialect.toBucket(instant, { granularity: period, zone, weekStart, range: window });
}

/** The label of a period: its wall time, or the instant for an hour. */
export function toLabel({ label, start }: Bucket, period: ActivityPeriod, dialect: Dialect): Expression {
  return dialect.timestamp(isCalendarUnit(period) ? Date.parse(`${label}Z`) : start);
}
