import type { Retention } from '../../../ask/activity/retention.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { type BoundRetention, isBrokenDown } from '../../../plan/analysis/retention/bind-retention.ts';
import { toRetentionFrame } from '../../../plan/analysis/retention/retention-frame.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { allOf, type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import { followedKey, lookedAtEvents, lowerAmount, lowerText, typeCondition } from '../event-condition.ts';
import { alwaysConditions, bucketExpression, matchExpression } from './activity-words.ts';

/** The parts of a retention in SQL over `looked_at`. */
export interface Lowered {
  readonly dialect: Dialect;
  /** With as many periods as are shown. */
  readonly retention: Retention;
  readonly window: TimeRange;
  /** The key of the one who is followed: see `followedKey`. */
  readonly who: Expression;
  readonly start: Expression;
  /** The start without its conditions; never null. */
  readonly anyStart: Expression;
  readonly comeBack: Expression;
  /** Conditions for all events. */
  readonly always: readonly Expression[];
  /** The breakdown's value as text; undefined without a breakdown. */
  readonly value: Expression | undefined;
  /** The amount to sum of an event; undefined if nothing is summed. */
  readonly amount: Expression | undefined;
  /** The label of the period that contains an instant of the window. */
  readonly bucketOf: (instant: Expression) => Expression;
}

export function lower(plan: Plan, retention: Retention, members: BoundRetention, dialect: Dialect): Lowered {
  const { where, start, comeBack, follow, breakdown, value } = members;
  const { window, periods } = toRetentionFrame(plan, retention);
  return {
    dialect,
    retention: { ...retention, periods },
    window,
    who: followedKey(follow, dialect),
    start: matchExpression(retention.start, start, dialect),
    anyStart: sql`coalesce(${allOf(typeCondition(retention.start))}, FALSE)`,
    comeBack: matchExpression(retention.comeBack, comeBack, dialect),
    always: alwaysConditions(plan, where, dialect),
    value: breakdown && isBrokenDown(plan) ? lowerText(breakdown, dialect) : undefined,
    amount: value && isAsked(plan, 'value') ? lowerAmount(value, dialect) : undefined,
    bucketOf: (instant) => bucketExpression(plan, retention.period, window, instant, dialect),
  };
}

function isAsked({ measures, groupConditions }: Plan, name: string): boolean {
  // A condition on an unselected measure needs it too.
  return groupConditions.length > 0 || measures.some(({ measure }) => measure.name === name);
}

/** Events of those followed that meet a condition: those within the window, or all until its end. */
export function looked(
  { always, window, who, dialect }: Lowered,
  wanted: Expression,
  since: 'window' | 'ever' = 'window',
): Expression {
  const range = since === 'ever' ? { end: window.end } : window;
  return sql`FROM ${lookedAtEvents(dialect)}
    WHERE ${allOf([within(trusted('utc_time'), range), sql`${who} IS NOT NULL`, ...always, wanted])}`;
}

/** The key, the label of the period and the breakdown's value of an event, for SELECT. */
export function eventColumns({ who, bucketOf, value }: Lowered): readonly Expression[] {
  return [
    sql`${who} AS who`,
    sql`${bucketOf(trusted('utc_time'))} AS label`,
    ...(value ? [sql`${value} AS value`] : []),
  ];
}
