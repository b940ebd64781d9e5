import { errorIssue, type IssuePath } from '../../ask/outcome.ts';
import { countBuckets } from '../../ask/time/buckets.ts';
import { addsUpRows, isAggregate } from '../model/measure-kind.ts';
import type { Plan } from '../plan.ts';
import { needsParts } from '../sql/composed-select.ts';
import { leafMeasures, repeats, type Leaf } from '../sql/leaf-measures.ts';
import type { Binding } from './bind-context.ts';

/** Refuses what has no right answer: each rule names the way out. */
export function checkMeasures(plan: Plan, { issues }: Binding): void {
  if (plan.ungrouped && plan.groupConditions.length > 0) {
    issues.push(errorIssue('ungrouped-measure-filter', 'A filter on a measure needs groups, and the query is ungrouped.', {
      path: ['filters'], hint: 'Leave "ungrouped" out, or filter by a dimension.',
    }));
  }
  for (const leaf of leafMeasures(plan)) {
    const path = pathOf(plan, leaf);
    if (leaf.measure.rollingWindow) checkWindow(plan, leaf, path, issues);
    checkCountedOnce(plan, leaf, path, issues);
  }
  checkOwnAggregates(plan, issues);
}

function checkWindow(plan: Plan, leaf: Leaf, path: IssuePath, issues: Binding['issues']): void {
  const window = leaf.measure.rollingWindow!;
  const name = `"${leaf.cube.name}.${leaf.measure.name}"`;
  if (plan.ungrouped) {
    issues.push(errorIssue('ungrouped-window', `${name} rolls over groups, and the query is ungrouped.`, { path, hint: 'Leave "ungrouped" out.' }));
  }
  const axes = plan.times.filter((time) => time.granularity !== undefined);
  if (axes.length > 1) {
    issues.push(errorIssue('window-of-two-axes', `${name} rolls along one time, and the query has ${axes.length}.`, { path, hint: 'Keep one granularity.' }));
  }
  const ranged = plan.times.some((time) => time.range) && axes.every((axis) => axis.range);
  const everything = plan.times.length === 0 && window.trailing === 'unbounded' && (window.leading === undefined || window.leading === 'unbounded');
  if (!ranged && !everything) {
    issues.push(errorIssue('window-without-range', `${name} has a rolling window, which needs a time range.`, {
      path, hint: 'Give the time dimension a dateRange, such as "last 30 days".',
    }));
  }
  const [axis] = axes;
  if (axis?.range && axis.granularity && countBuckets(axis.range, axis.granularity, plan.zone) > mostWindows) {
    issues.push(errorIssue('too-many-windows', `${name} would roll over more than ${mostWindows} ${axis.granularity}s.`, { path, hint: 'Take a shorter range or a coarser granularity.' }));
  }
  if (repeats(plan, leaf)) {
    issues.push(errorIssue('window-over-repeats', `${name} rolls over rows that the join repeats.`, {
      path, hint: `Ask it with members of "${leaf.cube.name}" only.`,
    }));
  }
}

/** A window for each bucket is written out in the statement. */
const mostWindows = 20_000;

function checkCountedOnce(plan: Plan, { cube, measure }: Leaf, path: IssuePath, issues: Binding['issues']): void {
  const joined = plan.joins.length > 0 && (plan.multiplied.includes(cube.name) || cube !== plan.root);
  const needsKey = addsUpRows(measure.type) && joined && (plan.multiplied.includes(cube.name) || measure.sql === undefined);
  if (needsKey && !cube.dimensions.some((dimension) => dimension.primaryKey)) {
    issues.push(errorIssue('primary-key-needed', `"${cube.name}.${measure.name}" would count rows that the join repeats or makes up.`, {
      path, hint: `Give "${cube.name}" a dimension with \`primary_key: true\` in the model.`,
    }));
  }
}

/** SQL of a `number` measure that reads rows itself (`sum({CUBE}.amount)`) cannot be counted once a row, nor put together from parts. */
function checkOwnAggregates(plan: Plan, issues: Binding['issues']): void {
  const apart = needsParts(plan);
  for (const { cube, measure } of plan.measures) {
    const readsRows = !isAggregate(measure.type) && (measure.sql ?? []).some((part) => part.kind === 'cube' || part.kind === 'joined-cube');
    if (!readsRows || !(apart || plan.multiplied.includes(cube.name))) continue;
    issues.push(errorIssue('own-aggregate', `The SQL of "${cube.name}.${measure.name}" aggregates rows itself, and here they must be counted in parts.`, {
      path: pathOf(plan, { measure }), hint: 'Ask it in a query of its own, or make it of other measures in the model.',
    }));
  }
}

function pathOf(plan: Plan, leaf: Pick<Leaf, 'measure'>): IssuePath {
  const index = plan.measures.findIndex((bound) => bound.measure === leaf.measure);
  return index < 0 ? ['measures'] : ['measures', index];
}
