import type { Plan } from './plan.ts';

/** The plans that engines run to answer a plan: the plan itself, or the plans that its rows are computed from. */
export function enginePlans(plan: Plan): readonly Plan[] {
  const { derived, others } = plan;
  if (others) return [others.rank, ...(others.base ? [others.base] : []), others.rest].flatMap(enginePlans);
  return derived ? [derived.base, ...derived.further.flatMap((further) => enginePlans(further.plan))] : [plan];
}

/** Changes the plans from which formulas are computed, except the totals of shares. */
export function withDerived(plan: Plan, change: (inner: Plan) => Plan): Plan {
  const { derived } = plan;
  if (!derived) return plan;
  const further = derived.further.map((each) => (each.kind === 'share' ? each : { ...each, plan: change(each.plan) }));
  return { ...plan, derived: { ...derived, base: change(derived.base), further } };
}

/** Settings of a plan that returns all groups unordered. */
export const allGroups = {
  groupConditions: [],
  order: [],
  limit: undefined,
  offset: 0,
  total: false,
  ungrouped: false,
  series: undefined,
} as const satisfies Partial<Plan>;

/** The plan with all of its groups, or as many as the backend returns at once. */
export function withoutLimit(plan: Plan, greatest: number | undefined): Plan {
  const { limit: _, offset: __, ...query } = plan.query;
  const whole = { ...plan, query, limit: greatest, offset: 0, total: false };
  return withDerived(whole, (inner) => withoutLimit(inner, greatest));
}

/** The most values in a condition. A longer list costs more than it saves. */
export const mostGroups = 1000;
