import type { ActivityPeriod } from '../../../ask/activity/retention.ts';
import type { EventMatch } from '../../../ask/analysis/event-match.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { Bucket, TimeRange } from '../../../ask/time/range.ts';
import type { Condition, Plan, BoundDimension } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { allOf, type Expression, present, sql } from '../../../plan/sql/expression.ts';
import { ofProject } from '../../../plan/sql/of-project.ts';
import { lowerConditions, matchConditions } from '../event-condition.ts';
import { followedWords, type Followed } from '../../../ask/analysis/followed.ts';
import type { NamedEvents } from '../tell-unknown.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';

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

/** Events that no figure counts: their description, and a statement that counts them. */
export interface UncountedEvents {
  readonly what: string;
  readonly count: Expression;
}

/** The events that no figure counts, those of nobody first. */
export function uncountedBy({ named, nobody, uncounted = [] }: ActivityInWords): readonly UncountedEvents[] {
  return [{ what: `events without ${followedWords(named.definition).one}`, count: nobody }, ...uncounted];
}

/** An activity analysis as SQL. */
export interface ActivityInWords {
  readonly period: ActivityPeriod;
  /** The instants that its periods cover. */
  readonly window: TimeRange;
  /** The rows of its cube. `label`: the wall time of the cube's time, if it has one. */
  readonly relation: Expression;
  /** Counts the events of nobody who is followed. */
  readonly nobody: Expression;
  /** Other events that no figure counts. */
  readonly uncounted?: readonly UncountedEvents[];
  /** Conditions and values that it reads of single events, beside their users. */
  readonly read: readonly (Expression | undefined)[];
  /** The parts of events that the definition names. */
  readonly named: NamedEvents & { readonly definition: Followed };
}

/** The plan over the rows of an activity analysis. */
export function overPeriods(plan: Plan, { period, window }: ActivityInWords): Plan {
  const times = plan.times.flatMap((time) => (time.granularity === undefined ? [] : [{ ...time, range: window }]));
  const dimensions = isCalendarUnit(period) ? plan.dimensions.map(asLabel) : plan.dimensions;
  return { ...withoutDates(plan), times, dimensions };
}

/** A period of a day or longer is identified by its wall time, as buckets are. */
function asLabel(bound: BoundDimension): BoundDimension {
  const { dimension } = bound;
  if (dimension.type !== 'time') return bound;
  const sql = [{ kind: 'cube' as const }, { kind: 'text' as const, text: '.label' }];
  return { ...bound, dimension: { ...dimension, expression: { kind: 'sql', sql } } };
}
