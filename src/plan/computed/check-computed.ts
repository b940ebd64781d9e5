import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import type { CanonicalFilter } from '../../ask/query/query.ts';
import type { ComputedSource } from '../model/model.ts';
import type { Condition, Plan, Test } from '../plan.ts';

/** Adds issues for queries on cubes that only a local engine computes. `date`: short name of their time dimension. */
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
      errorIssue('analysis-ungrouped', `The rows of the ${analysis} "${name}" cannot be ungrouped.`, {
        path: ['ungrouped'],
        hint: 'Leave "ungrouped" out.',
      }),
    );
  for (const placed of filtersOn(plan, `${name}.${date}`)) checkDate(placed, issues);
}

/** A filter on one member, with its path in the query. */
export interface PlacedFilter {
  readonly filter: Extract<CanonicalFilter, { readonly member: string }>;
  readonly path: IssuePath;
  /** True if it is part of an `or`, so that it need not hold for all rows. */
  readonly isChoice: boolean;
}

/** The filters of a query on one member. */
export function filtersOn({ query }: Pick<Plan, 'query'>, member: string): readonly PlacedFilter[] {
  const within = (filter: CanonicalFilter, path: IssuePath, isChoice: boolean): readonly PlacedFilter[] => {
    if ('and' in filter) return filter.and.flatMap((part, index) => within(part, [...path, 'and', index], isChoice));
    if ('or' in filter) return filter.or.flatMap((part, index) => within(part, [...path, 'or', index], true));
    return filter.member === member ? [{ filter, path, isChoice }] : [];
  };
  return (query.filters ?? []).flatMap((filter, index) => within(filter, ['filters', index], false));
}

/** Dates select the events of the analysis, so they must hold for all of them. */
function checkDate(
  { filter: { member: date, operator, values }, path, isChoice }: PlacedFilter,
  issues: Issue[],
): void {
  if (isChoice)
    issues.push(
      errorIssue('date-choice', `"${date}" sets the range, and cannot be part of an "or".`, {
        path,
        hint: 'Move it out of the "or".',
      }),
    );
  if (!rangeOperators.has(operator) || (values?.length ?? 0) > (operator === 'inDateRange' ? 2 : 1))
    issues.push(
      errorIssue('date-operator', `"${date}" sets the range, and cannot be compared by "${operator}".`, {
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

/**
 * True if each row of the answer has one value of the dimension: the plan groups by it, or a filter leaves one value.
 */
export function isApart(plan: Plan, dimension: string): boolean {
  return (
    isGroupedBy(plan, dimension) ||
    onlyValue(plan, dimension) !== undefined ||
    testsOf(plan, dimension).some((test) => isMissing(test))
  );
}

export function isGroupedBy({ dimensions }: Plan, name: string): boolean {
  return dimensions.some(({ dimension }) => dimension.name === name);
}

/** The only value of a dimension that the plan's filters allow; undefined if they may allow several, or none. */
export function onlyValue(plan: Plan, name: string): unknown {
  const values = testsOf(plan, name).flatMap((test) =>
    test.kind === 'one-of' && test.values.length === 1 && !test.orNull ? test.values : [],
  );
  return values[0];
}

/** Whether only rows without a value pass. */
function isMissing(test: Test): boolean {
  return test.kind === 'missing' || (test.kind === 'one-of' && test.values.length === 0 && test.orNull);
}

/** The tests of a dimension that each row must pass. */
function testsOf({ rowConditions }: Plan, name: string): readonly Test[] {
  return rowConditions
    .flatMap(allTests)
    .flatMap(({ operand, test }) => (operand.kind === 'dimension' && operand.dimension.name === name ? [test] : []));
}

/** True if the plan's filters name a dimension. */
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
