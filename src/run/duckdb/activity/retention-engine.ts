import { retentionOf } from '../../../plan/analysis/retention/bind-retention.ts';
import { toRetentionFrame } from '../../../plan/analysis/retention/retention-frame.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { type ActivityInWords, toActivityEngine } from './activity-engine.ts';
import { followReturns, returnsStatement } from './follow-returns.ts';
import type { FollowedReturns } from './walk-returns.ts';
import { retentionNobody, retentionRelation, retentionUncounted } from './retention-relation.ts';
import { lower } from './retention-words.ts';

export const retentionEngine = toActivityEngine(retentionInWords, {
  follow: followReturns,
  toStatement: returnsStatement,
});

export function retentionInWords(plan: Plan, dialect: Dialect, followed?: FollowedReturns): ActivityInWords {
  const { definition, bound } = computedHere(retentionOf(plan));
  const { who, start, comeBack, always, value, amount } = lower(plan, definition, bound, dialect);
  return {
    period: definition.period,
    read: [bound.follow && who, start, comeBack, ...always, value, amount],
    window: toRetentionFrame(plan, definition).window,
    relation: retentionRelation(plan, definition, bound, dialect, followed),
    nobody: retentionNobody(plan, definition, bound, dialect),
    uncounted: retentionUncounted(plan, definition, bound, dialect),
    named: {
      definition,
      matches: [definition.start, definition.comeBack],
      conditions: [...bound.where, ...bound.start, ...bound.comeBack],
    },
  };
}
