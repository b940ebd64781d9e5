import { invariant } from '../../../ask/invariant.ts';
import { funnelOf } from '../../../plan/analysis/funnel/bind-funnel.ts';
import type { Condition, Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { cohortTables } from '../session/cohort-tables.ts';
import { lowerConditions, lowerText } from '../session/event-condition.ts';
import { namedByFunnel, type NamedEvents } from '../session/tell-unknown.ts';
import type { FunnelProgram } from './funnel-program.ts';
import { toFunnelProgram } from './to-funnel-program.ts';

/** The funnel of a plan in the engine's words. Errors: as `toFunnelProgram`. */
export function planToProgram(plan: Plan, dialect: Dialect = duckDb): FunnelProgram {
  const { definition, bound } = funnelOf(plan) ?? {};
  invariant(definition && bound, 'the plan asks a funnel that is computed here');
  const { where, steps, exclude, breakdown } = bound;
  const lower = (conditions: readonly Condition[]) => lowerConditions(conditions, dialect);
  const program = toFunnelProgram(
    definition,
    {
      all: lower(where),
      steps: steps.map(lower),
      exclude: exclude.map(lower),
      breakdown: breakdown && lowerText(breakdown, dialect),
    },
    plan.project,
  );
  return { ...program, tables: cohortTables(plan, dialect) };
}

/** What the funnel of a plan names of the events. */
export function namedEvents(plan: Plan): NamedEvents {
  const { definition, bound } = funnelOf(plan) ?? {};
  invariant(definition && bound, 'the plan asks a funnel that is computed here');
  return namedByFunnel(definition, bound);
}
