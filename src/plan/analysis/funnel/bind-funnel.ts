import type { Funnel } from '../../../ask/funnel/funnel.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import type { DefinitionTools } from '../../analysis.ts';
import { askedDates } from '../../computed/asked-dates.ts';
import { checkSpan } from '../../computed/asked-periods.ts';
import { filtersOn, isApart, isFilteredBy, isGroupedBy, type PlacedFilter } from '../../computed/check-computed.ts';
import type { ComputedSource } from '../../model/model.ts';
import type { BoundComputation, BoundDimension, Condition, Plan } from '../../plan.ts';

/** A funnel with its members resolved. Lists keep the funnel's order; all conditions of a list must hold. */
export interface BoundFunnel {
  readonly where: readonly Condition[];
  readonly steps: readonly (readonly Condition[])[];
  readonly exclude: readonly (readonly Condition[])[];
  /** See `Followed`. */
  readonly follow: Omit<BoundDimension, 'column'> | undefined;
  readonly hold: readonly Omit<BoundDimension, 'column'>[];
  readonly breakdown: Omit<BoundDimension, 'column'> | undefined;
}

/** Resolves the filters and dimensions of a funnel. */
export function bindFunnel(funnel: Funnel, tools: DefinitionTools): BoundFunnel {
  const { where, steps, exclude, follow, hold, breakdown } = funnel;
  return {
    where: tools.bindFilters(where, ['sluice', 'where']),
    steps: steps.map((step, index) => tools.bindFilters(step.where, ['steps', index, 'sluice', 'where'])),
    exclude: exclude.map((one, index) => tools.bindFilters(one.where, ['sluice', 'exclude', index, 'where'])),
    follow: follow === undefined ? undefined : tools.findDimension(follow, ['sluice', 'follow']),
    hold: hold.flatMap((name, index) => tools.findDimension(name, ['sluice', 'hold', index]) ?? []),
    breakdown: breakdown && tools.findDimension(breakdown.dimension, ['sluice', 'breakdown', 'dimension']),
  };
}

/** The funnel that a plan asks for; undefined if there is none. */
export function funnelOf({ computed }: Plan): BoundComputation<Funnel, BoundFunnel> | undefined {
  return computed?.analysis === 'funnel' ? (computed as BoundComputation<Funnel, BoundFunnel>) : undefined;
}

/**
 * Adds an issue with a hint for each part that the platform's funnels cannot answer. Source of the rules: the
 * platform's documentation of funnels.
 */
export function checkFunnel(plan: Plan, source: ComputedSource<Funnel>, issues: Issue[]): void {
  const { name } = plan.root;
  checkMembers(plan, name, issues);
  for (const placed of filtersOn(plan, `${name}.date`)) checkDate(placed, issues);
  checkBackend(source, issues);
  const { from: start = -Infinity, to: end = plan.now + 1 } = askedDates(plan);
  if (source.computed === 'here') checkSpan(plan, { start, end }, 'day', issues);
}

function checkMembers(plan: Plan, name: string, issues: Issue[]): void {
  const { query, measures, dimensions, times } = plan;
  times.forEach(({ granularity }) => {
    if (granularity !== undefined)
      issues.push(
        errorIssue('funnel-by-time', `"${name}.date" can only filter: a funnel has no series by ${granularity}.`, {
          path: ['timeDimensions'],
          hint:
            `Leave the granularity out, or run \`sluice funnel run ${name}` +
            ` --trend ${granularity === 'week' || granularity === 'month' ? granularity : 'day'}\`.`,
        }),
      );
  });
  const byDate = dimensions.findIndex(({ dimension }) => dimension.name === 'date');
  if (byDate >= 0)
    issues.push(
      errorIssue('funnel-by-time', `"${name}.date" can only filter: the rows of a funnel are steps and have no date.`, {
        path: ['dimensions', byDate],
        hint: `Group by "${name}.step".`,
      }),
    );
  const count = measures.length > 0 && !dimensions.some(({ dimension }) => dimension.name === 'step');
  if (count)
    issues.push(
      errorIssue('funnel-without-step', `"${name}.count" has one value per step.`, {
        path: ['measures'],
        hint: `Add the dimension "${name}.step"; its last row counts those who converted.`,
      }),
    );
  if (isFilteredBy(plan, 'breakdown') && !isApart(plan, 'breakdown') && measures.length > 0)
    issues.push(
      errorIssue('funnel-without-breakdown', `Each value of "${name}.breakdown" has users of its own.`, {
        path: ['filters'],
        hint: `Add the dimension "${name}.breakdown", or filter it by one value.`,
      }),
    );
  if (query.ungrouped)
    issues.push(
      errorIssue('funnel-ungrouped', `The rows of the funnel "${name}" cannot be ungrouped.`, {
        path: ['ungrouped'],
        hint: `Leave "ungrouped" out. \`sluice funnel run ${name} --users converted\` lists users.`,
      }),
    );
}

/**
 * The figures of one group of users. `value` is the group's value of the breakdown; null for users without a value, and
 * for all users together.
 */
interface FunnelGroup {
  readonly value: string | null;
  readonly reached: readonly number[];
}

/**
 * The rows of a funnel's cube: the number of the step, the breakdown's value if the plan asks for it, and how many
 * reached the step.
 */
export function funnelRows(
  plan: Plan,
  {
    all,
    byValue,
  }: { readonly all: Pick<FunnelGroup, 'reached'>; readonly byValue: readonly FunnelGroup[] | undefined },
): readonly (readonly [step: number, value: string | null, reached: number])[] {
  const isApart = isGroupedBy(plan, 'breakdown') || isFilteredBy(plan, 'breakdown');
  const groups = isApart && byValue?.length ? byValue : [{ value: null, reached: all.reached }];
  return groups.flatMap(({ value, reached }) => reached.map((users, index) => [index + 1, value, users] as const));
}

/**
 * Adds an issue if a date is part of an `or`, or has an unsupported operator. The date selects the funnel's events, so
 * it must hold for all of them.
 */
function checkDate({ filter: { member: date, operator }, path, isChoice }: PlacedFilter, issues: Issue[]): void {
  if (isChoice)
    issues.push(
      errorIssue('funnel-date-choice', `"${date}" selects the events of the funnel, and cannot be part of an "or".`, {
        path,
        hint: 'Move it out of the "or".',
      }),
    );
  if (operator === 'inDateRange' || operator === 'beforeDate') return;
  issues.push(
    errorIssue('funnel-operator', `"${date}" cannot be compared by "${operator}".`, {
      path: [...path, 'operator'],
      hint: hintFor(operator),
    }),
  );
}

function hintFor(operator: string): string {
  const before = operator === 'lt' || operator === 'beforeOrOnDate' || operator === 'lte';
  const day = operator === 'equals' || operator === 'onTheDate';
  if (before) return 'Use "beforeDate", with the day after the last one.';
  return day
    ? 'Use "inDateRange" with that one day.'
    : 'Use "inDateRange", with a first and a last day, or "beforeDate".';
}

function checkBackend({ definition: funnel, computed }: ComputedSource<Funnel>, issues: Issue[]): void {
  const wayOut =
    'Export the events and run the funnel locally: ' +
    `\`sluice export\`, then \`sluice funnel run ${funnel.name} --backend embedded\`.`;
  if (computed === 'nowhere') {
    issues.push(
      errorIssue(
        'unknown-member',
        `The server does not know the funnel "${funnel.name}": ` +
          'the project does not define it, or the server no longer supports funnels.',
        { path: ['measures'], hint: wayOut },
      ),
    );
  } else if (computed === 'by-server' && funnel.extended) {
    issues.push(
      errorIssue(
        'funnel-extended',
        `The funnel "${funnel.name}" is in the short form, or has settings under "sluice", ` +
          'which no server supports: the server would count a different funnel.',
        { path: ['measures'], hint: wayOut },
      ),
    );
  }
}
