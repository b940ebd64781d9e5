import { invariant } from '../../../ask/invariant.ts';
import { isDateTest } from '../../../plan/funnel-range.ts';
import type { Cube } from '../../../plan/model/model.ts';
import type { BoundFunnel, Condition, Plan } from '../../../plan/plan.ts';
import { conditionExpression } from '../../../plan/sql/condition-expression.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { allOf, type Expression } from '../../../plan/sql/expression.ts';
import { dimensionExpression } from '../../../plan/sql/member-expression.ts';
import type { FunnelProgram } from '../funnel/funnel-program.ts';
import { toFunnelProgram } from '../funnel/to-funnel-program.ts';

/** What a funnel program calls the relation that it looks at. */
const lookedAt = 'looked_at';

/** The funnel of a plan in the engine's words. Errors: as `toFunnelProgram`. */
export function planToProgram({ funnel, project }: Plan): FunnelProgram {
  invariant(funnel, 'the plan asks a funnel');
  const { breakdown } = funnel;
  return toFunnelProgram(funnel.funnel, {
    all: lower(funnel.where),
    steps: funnel.steps.map(lower),
    exclude: funnel.exclude.map(lower),
    breakdown: breakdown && dimensionExpression(aliased(breakdown.cube), breakdown.dimension, scope),
  }, project);
}

// Dimensions of events are columns: they refer to no other member.
const scope = { model: { cubes: [] }, dialect: duckDb };

function lower(conditions: BoundFunnel['where']): Expression | undefined {
  return conditions.length === 0 ? undefined : allOf(conditions.map((condition) => conditionExpression(renamed(condition), scope)));
}

function renamed(condition: Condition): Condition {
  if (condition.kind !== 'test') return { ...condition, conditions: condition.conditions.map(renamed) };
  const { operand } = condition;
  return { ...condition, operand: { ...operand, cube: aliased(operand.cube) } };
}

function aliased(cube: Cube): Cube {
  return { ...cube, name: lookedAt };
}

/** The plan without its dates, for rows that are counted by them already. */
export function withoutDates(plan: Plan): Plan {
  return { ...plan, times: [], rowConditions: plan.rowConditions.flatMap(undated) };
}

function undated(condition: Condition): readonly Condition[] {
  if (condition.kind === 'and') return [{ ...condition, conditions: condition.conditions.flatMap(undated) }];
  return condition.kind === 'test' && isDateTest(condition) ? [] : [condition];
}
