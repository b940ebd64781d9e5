import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import type { CanonicalFilter } from '../../ask/query/query.ts';
import type { ComputedSource } from '../model/model.ts';
import type { Condition, Plan } from '../plan.ts';

/** Issues of queries on cubes that only a local engine computes. `date`: short name of their time. */
export function checkComputed(
  plan: Plan,
  { analysis, computed }: Pick<ComputedSource, 'analysis' | 'computed'>,
  date: string,
  issues: Issue[],
): void {
  const { name } = plan.root;
  if (computed !== 'here')
    issues.push(
      errorIssue('analysis-not-local', `The server cannot compute the ${analysis} "${name}".`, {
        path: ['measures'],
        hint: 'Export the events with `sluice export`, then run the same query with `--backend embedded`.',
      }),
    );
  if (plan.query.ungrouped)
    issues.push(
      errorIssue('analysis-ungrouped', `The ${analysis} "${name}" has no rows below those that it computes.`, {
        path: ['ungrouped'],
        hint: 'Leave "ungrouped" out.',
      }),
    );
  (plan.query.filters ?? []).forEach((filter, index) =>
    checkDates(filter, `${name}.${date}`, ['filters', index], false, issues),
  );
}

/** Dates say which events are looked at: they hold for all of them. */
function checkDates(filter: CanonicalFilter, date: string, path: IssuePath, choosing: boolean, issues: Issue[]): void {
  if ('and' in filter)
    return filter.and.forEach((part, index) => checkDates(part, date, [...path, 'and', index], choosing, issues));
  if ('or' in filter)
    return filter.or.forEach((part, index) => checkDates(part, date, [...path, 'or', index], true, issues));
  if (filter.member !== date) return;
  if (choosing)
    issues.push(
      errorIssue('date-choice', `"${date}" sets the range, and cannot be part of an "or".`, {
        path,
        hint: 'Move it out of the "or".',
      }),
    );
  if (
    !rangeOperators.has(filter.operator) ||
    (filter.values?.length ?? 0) > (filter.operator === 'inDateRange' ? 2 : 1)
  )
    issues.push(
      errorIssue('date-operator', `"${date}" sets the range, and cannot be compared by "${filter.operator}".`, {
        path: [...path, 'operator'],
        hint: 'Use "inDateRange" with a first and a last day, "afterOrOnDate" or "beforeDate".',
      }),
    );
}

const rangeOperators: ReadonlySet<string> = new Set([
  'inDateRange',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
  'gt',
  'gte',
  'lt',
  'lte',
]);

/** Whether each row of the answer is of one value of a dimension: it groups by it, or a filter leaves one. */
export function isApart(plan: Plan, dimension: string): boolean {
  return isGroupedBy(plan, dimension) || onlyValue(plan, dimension) !== undefined;
}

export function isGroupedBy({ dimensions }: Plan, name: string): boolean {
  return dimensions.some(({ dimension }) => dimension.name === name);
}

/** The one value of a dimension that the plan's filters leave; undefined: they may leave several. */
export function onlyValue({ rowConditions }: Plan, name: string): unknown {
  const values = rowConditions
    .flatMap(allTests)
    .flatMap(({ operand, test }) =>
      operand.kind === 'dimension' &&
      operand.dimension.name === name &&
      test.kind === 'one-of' &&
      test.values.length === 1 &&
      !test.orNull
        ? test.values
        : [],
    );
  return values[0];
}

/** Whether the plan's filters name a dimension. */
export function isFilteredBy({ rowConditions }: Plan, name: string): boolean {
  const names = (condition: Condition): boolean =>
    condition.kind === 'test'
      ? condition.operand.kind === 'dimension' && condition.operand.dimension.name === name
      : condition.conditions.some(names);
  return rowConditions.some(names);
}

function allTests(condition: Condition): readonly Extract<Condition, { kind: 'test' }>[] {
  if (condition.kind === 'and') return condition.conditions.flatMap(allTests);
  return condition.kind === 'test' ? [condition] : [];
}
