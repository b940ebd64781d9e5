import { errorIssue, type Issue } from '../../ask/outcome.ts';
import type { BoundSwitch, Condition, Plan } from '../plan.ts';
import { leafMeasures, overGroups, isApart } from '../sql/leaf-measures.ts';

/**
 * Refuses questions about a switch whose figures would count rows once for each of its values. Rows stand beside all
 * values of a switch: each value must have groups of its own, or a filter keep only one.
 */
export function checkSwitches(plan: Plan, issues: Issue[]): void {
  const open = openSwitches(plan);
  const [first] = open;
  if (!first) return;
  const refuse = (code: string, message: string, hint: string, path: readonly string[] = ['dimensions']) =>
    issues.push(errorIssue(code, message, { path, hint }));
  const fixed = `Filter by one value, such as "${first.values[0]}".`;
  const full = nameOf(first);
  if (plan.ungrouped) {
    refuse('ungrouped-switch', `"${full}" repeats the rows, and the query is ungrouped.`, fixed);
    return;
  }
  if (plan.measures.length === 0 && plan.groupConditions.length === 0) return;
  if (overGroups(plan).length > 0 || leafMeasures(plan).some(({ measure }) => isApart(measure)))
    refuse('switched-stage', `A multi-stage measure cannot be computed beside "${full}".`, fixed, ['measures']);
  for (const each of open) {
    if (plan.dimensions.some(({ dimension }) => dimension === each.dimension)) continue;
    const name = nameOf(each);
    const hint = `Add "${name}" to the dimensions, or filter it by one value.`;
    refuse('open-switch', `The query uses "${name}" without a value for it.`, hint, ['measures']);
  }
}

/** Those that no filter at the top level fixes to one value. */
export function openSwitches({ switches = [], rowConditions }: Plan): readonly BoundSwitch[] {
  return switches.filter(({ dimension }) => !rowConditions.some((condition) => fixes(condition, dimension)));
}

function fixes(condition: Condition, dimension: BoundSwitch['dimension']): boolean {
  if (condition.kind === 'and') return condition.conditions.some((each) => fixes(each, dimension));
  if (condition.kind === 'or') return condition.conditions.length === 1 && fixes(condition.conditions[0]!, dimension);
  const { operand, test } = condition;
  if (operand.kind !== 'dimension' || operand.dimension !== dimension || test.kind !== 'one-of') return false;
  return new Set(test.values).size <= 1;
}

function nameOf({ cube, dimension }: BoundSwitch): string {
  return `${cube.name}.${dimension.name}`;
}
