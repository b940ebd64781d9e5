import type { FunnelStep } from '../../../ask/funnel/funnel.ts';
import { funnelOf } from '../../../plan/analysis/funnel/bind-funnel.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import type { Condition, Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { cohortTables } from '../cohort-tables.ts';
import { followedKey, lowerConditions, lowerText } from '../event-condition.ts';
import { namedByFunnel, type NamedEvents } from '../tell-unknown.ts';
import { type FunnelProgram, toFunnelProgram } from './funnel-program.ts';

/** Converts the funnel of a plan for the engine. Errors: as `toFunnelProgram`. */
export function planToProgram(plan: Plan, dialect: Dialect = duckDb): FunnelProgram {
  const { definition, bound } = computedHere(funnelOf(plan));
  const { where, steps, exclude, follow, hold, breakdown } = bound;
  const lower = (conditions: readonly Condition[]) => lowerConditions(conditions, dialect);
  const program = toFunnelProgram(
    definition,
    {
      all: lower(where),
      steps: steps.map(lower),
      exclude: exclude.map(lower),
      follow: follow && followedKey(follow, dialect),
      hold: hold.map((one) => lowerText(one, dialect)),
      breakdown: breakdown && lowerText(breakdown, dialect),
    },
    plan.project,
  );
  return { ...program, tables: cohortTables(plan, dialect) };
}

/** The event types, paths and properties that a plan's funnel names, without steps that users have `reached`. */
export function namedEvents(plan: Plan, reached: readonly number[] = []): NamedEvents {
  const { definition, bound } = computedHere(funnelOf(plan));
  const { steps, exclude, order } = definition;
  const isFound = ({ targets }: FunnelStep, step: number) =>
    order !== 'unordered' && targets.length < 2 && (reached[step] ?? 0) > 0;
  const { conditions } = namedByFunnel(definition, bound);
  return { definition, matches: [...steps.filter((step, index) => !isFound(step, index)), ...exclude], conditions };
}
