import { errorIssue, type IssuePath } from '../../ask/outcome.ts';
import type { Plan } from '../plan.ts';
import { leafMeasures, type Leaf } from '../sql/leaf-measures.ts';
import type { Binding } from './bind-context.ts';

/** Refuses what has no right answer: each rule names the way out. */
export function checkMeasures(plan: Plan, { issues }: Binding): void {
  if (plan.ungrouped && plan.groupConditions.length > 0) {
    issues.push(errorIssue('ungrouped-measure-filter', 'a filter on a measure needs groups, and the query is ungrouped', {
      path: ['filters'], hint: 'Leave `ungrouped` out, or filter by a dimension.',
    }));
  }
  for (const leaf of leafMeasures(plan)) {
    const path = pathOf(plan, leaf);
    if (leaf.measure.rollingWindow) checkWindow(plan, leaf, path, issues);
    checkCountedOnce(plan, leaf, path, issues);
  }
}

function checkWindow(plan: Plan, leaf: Leaf, path: IssuePath, issues: Binding['issues']): void {
  const window = leaf.measure.rollingWindow!;
  const name = `${leaf.cube.name}.${leaf.measure.name}`;
  if (plan.ungrouped) {
    issues.push(errorIssue('ungrouped-window', `${name} rolls over groups, and the query is ungrouped`, { path, hint: 'Leave `ungrouped` out.' }));
  }
  const axes = plan.times.filter((time) => time.granularity !== undefined);
  if (axes.length > 1) {
    issues.push(errorIssue('window-of-two-axes', `${name} rolls along one time, and the query has ${axes.length}`, { path, hint: 'Keep one granularity.' }));
  }
  const ranged = plan.times.some((time) => time.range) && axes.every((axis) => axis.range);
  const everything = plan.times.length === 0 && window.trailing === 'unbounded' && (window.leading === undefined || window.leading === 'unbounded');
  if (!ranged && !everything) {
    issues.push(errorIssue('window-without-range', `${name} has a rolling window, which needs a time range`, {
      path, hint: 'Give the time dimension a dateRange, such as "last 30 days".',
    }));
  }
}

function checkCountedOnce(plan: Plan, { cube, measure }: Leaf, path: IssuePath, issues: Binding['issues']): void {
  const adds = measure.type === 'count' || measure.type === 'sum' || measure.type === 'avg';
  const joined = plan.joins.length > 0 && (plan.multiplied.includes(cube.name) || cube !== plan.root);
  const needsKey = adds && joined && (plan.multiplied.includes(cube.name) || measure.sql === undefined);
  if (needsKey && !cube.dimensions.some((dimension) => dimension.primaryKey)) {
    issues.push(errorIssue('primary-key-needed', `${cube.name}.${measure.name} would count rows that the join repeats or makes up`, {
      path, hint: `Give ${cube.name} a dimension with \`primary_key: true\` in the model.`,
    }));
  }
}

function pathOf(plan: Plan, leaf: Leaf): IssuePath {
  const index = plan.measures.findIndex((bound) => bound.measure === leaf.measure);
  return index < 0 ? ['measures'] : ['measures', index];
}
