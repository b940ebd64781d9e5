import type { Plan, PlanCohort, BoundRule } from '../../plan/plan.ts';
import { allRules } from '../../ask/cohort/cohort.ts';

/** Finds the users who reached a step. `asked` has the funnel and the earlier cohorts; more may be added to these. */
export type FindReached = (
  rule: Reached,
  asked: Plan & { readonly cohorts: PlanCohort[] },
  at: number,
) => Promise<BoundRule>;

/** The plan with the users found for all cohorts that name funnel steps. */
export async function findReached(plan: Plan, findUsers: FindReached): Promise<Plan> {
  if (!plan.cohorts?.some(({ rule }) => allRules(rule).some(({ kind }) => kind === 'reached'))) return plan;
  const ready: PlanCohort[] = [];
  const find = async (rule: BoundRule, at: number): Promise<BoundRule> => {
    // A funnel's filters may name earlier cohorts.
    if (rule.kind === 'reached') return findUsers(rule, { ...plan, computed: rule.funnel, cohorts: ready }, at);
    if (rule.kind !== 'group') return rule;
    const findAll = async (rules: readonly BoundRule[]) => {
      const found: BoundRule[] = [];
      for (const one of rules) found.push(await find(one, at));
      return found;
    };
    return {
      kind: 'group',
      all: await findAll(rule.all),
      any: await findAll(rule.any),
      except: await findAll(rule.except),
    };
  };
  for (const cohort of plan.cohorts) ready.push({ ...cohort, rule: await find(cohort.rule, cohort.at) });
  return { ...plan, cohorts: ready };
}

export type Reached = Extract<BoundRule, { kind: 'reached' }>;
