import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { quote } from '../../../ask/text.ts';
import type { NeededBinding } from '../../analysis.ts';
import type { ComputedSource } from '../../model/model.ts';
import type { Condition, Plan, PlanCohort } from '../../plan.ts';
import { funnelAnalysis } from '../funnel/funnel-analysis.ts';
import { bindCohort } from './bind-cohort.ts';
import { cohortDimension, cohortTableAt, endAtPresent } from './cohort-members.ts';
import { checkReferences, knownDefinitions } from './cohort-references.ts';

/**
 * The cohorts that a plan needs. Each comes after the cohorts that its rules refer to. Cohorts that members name are
 * evaluated at the present. A question about a cohort also needs that cohort at each of `instants`.
 */
export function bindCohorts(
  plan: Plan,
  named: ReadonlySet<string>,
  instants: readonly number[],
  { issues, time, toTools, tellDefinition }: NeededBinding,
): readonly PlanCohort[] {
  const known = knownDefinitions(plan.model);
  const bound = new Map<string, PlanCohort>();
  const present = endAtPresent(plan);
  const tableAt = (name: string, at: number) => cohortTableAt(plan, name, at);

  const visit = (name: string, at: number, way: readonly string[]): void => {
    const table = tableAt(name, at);
    if (bound.has(table)) return;
    const cube = known.cohorts.get(name);
    if (!cube || way.includes(name)) return;
    const { source } = cube;
    const { definition } = source;
    if (source.computed !== 'here') {
      issues.push(
        errorIssue('analysis-not-local', `The server cannot compute the cohort ${quote(name)}.`, {
          hint: 'Export the events with `sluice export`, then run the same query with `--backend embedded`.',
        }),
      );
      return;
    }
    const own: Issue[] = [...checkReferences(definition, known)];
    const needs = new Set<string>();
    const toolsFor = (of: Pick<ComputedSource, 'events'>, told: Issue[]) =>
      toTools(of, { ...time, now: Math.min(at, plan.now) }, told, {
        cohorts: needs,
        model: plan.model,
        place: (condition) => (at === present ? condition : asOf(condition, at)),
      });
    const rule = bindCohort(definition, toolsFor(source, own), {
      tableOf(other) {
        needs.add(other);
        return tableAt(other, at);
      },
      findFunnel(other) {
        const funnel = known.funnels.get(other);
        if (!funnel) return undefined;
        const told: Issue[] = [];
        const members = funnelAnalysis.bind(funnel.source.definition, toolsFor(funnel.source, told));
        tellDefinition('funnel', other, told, issues);
        return { analysis: 'funnel', definition: funnel.source.definition, bound: members };
      },
    });
    tellDefinition('cohort', name, own, issues);
    for (const other of needs) visit(other, at, [...way, name]);
    bound.set(table, { name, table, at, rule });
  };

  /** Evaluate cohorts inside a definition at the same instant. */
  const asOf = (condition: Condition, at: number): Condition => {
    if (condition.kind !== 'test')
      return { ...condition, conditions: condition.conditions.map((one) => asOf(one, at)) };
    const { operand } = condition;
    const name = operand.kind === 'dimension' ? operand.dimension.cohort?.name : undefined;
    if (operand.kind !== 'dimension' || name === undefined) return condition;
    const dimension = cohortDimension(operand.cube, { name }, tableAt(name, at));
    return { ...condition, operand: { ...operand, dimension } };
  };

  for (const name of named) visit(name, present, []);
  for (const at of instants) visit(plan.root.name, at, []);
  return [...bound.values()];
}
