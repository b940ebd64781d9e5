import { writePath } from '../../ask/document/issue-path.ts';
import { errorIssue, type Issue, type IssuePath, type Outcome, settle } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { CanonicalFilter, Filter } from '../../ask/query/query.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { isFunnelCube } from '../funnel-cube.ts';
import { toCatalog } from '../model/catalog.ts';
import type { FunnelSource } from '../model/model.ts';
import type { BoundFunnel, Condition, Plan } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { bindFilter } from './bind-filter.ts';
import { findMember } from './find-member.ts';

/**
 * What a funnel's filters and breakdown mean. They name dimensions of cubes of events, whatever the model of the questions
 * is. Issues have paths into the funnel's file.
 */
export function bindFunnel({ funnel, events }: Pick<FunnelSource, 'funnel' | 'events'>, time: TimeContext): Outcome<BoundFunnel> {
  const issues: Issue[] = [];
  const binding: Binding = { catalog: toCatalog(events), time, issues };
  const bound: BoundFunnel = {
    funnel,
    where: bindAll(funnel.where, ['sluice', 'where'], binding),
    steps: funnel.steps.map(({ where }, index) => bindAll(where, ['steps', index, 'sluice', 'where'], binding)),
    exclude: funnel.exclude.map(({ where }, index) => bindAll(where, ['sluice', 'exclude', index, 'where'], binding)),
    breakdown: funnel.breakdown && bindBreakdown(funnel.breakdown.dimension, ['sluice', 'breakdown', 'dimension'], binding),
  };
  return settle(bound, issues);
}

function bindAll(filters: readonly Filter[], path: IssuePath, binding: Binding): readonly Condition[] {
  const { filters: canonical = [] } = toCanonicalQuery({ filters });
  return canonical.flatMap((filter, index) => {
    const at = [...path, index];
    const bound = bindFilter(filter, at, binding);
    if (!bound) return [];
    if (!isAboutEvents(bound.condition)) {
      binding.issues.push(errorIssue('not-of-events', 'This does not compare an event: it names a measure, or a cube whose rows are no events.', {
        path: at, hint: 'Name a dimension of TrackedEvents, such as TrackedEvents.docHost.',
      }));
    }
    return [bound.condition];
  });
}

function isAboutEvents(condition: Condition): boolean {
  if (condition.kind !== 'test') return condition.conditions.every(isAboutEvents);
  return condition.operand.kind === 'dimension' && condition.operand.cube.source.kind === 'events';
}

function bindBreakdown(name: string, path: IssuePath, binding: Binding): BoundFunnel['breakdown'] {
  const found = findMember(name, ['dimension'], path, binding);
  if (!found) return undefined;
  if (found.cube.source.kind !== 'events') {
    binding.issues.push(errorIssue('not-of-events', `"${name}" is not of an event.`, { path, hint: 'Name a dimension of TrackedEvents, such as TrackedEvents.agentName.' }));
  }
  return { cube: found.cube, dimension: found.member };
}

/**
 * The funnel that a plan asks; undefined, without issues, where it asks none. What the platform's funnels cannot answer
 * is an issue that names the way out. Source of the rules: the platform's documentation of funnels.
 */
export function checkFunnel(plan: Plan, binding: Binding): BoundFunnel | undefined {
  if (!isFunnelCube(plan.root)) return undefined;
  const { name, source } = plan.root;
  checkMembers(plan, name, binding.issues);
  (plan.query.filters ?? []).forEach((filter, index) => checkDates(filter, `${name}.date`, ['filters', index], false, binding.issues));
  checkBackend(source, binding.issues);
  if (source.computed !== 'here') return { funnel: source.funnel, where: [], steps: [], exclude: [], breakdown: undefined };
  const bound = bindFunnel(source, binding.time);
  for (const { code, message, path, hint, severity } of bound.issues) {
    if (severity === 'error') binding.issues.push(errorIssue(code, `The file of the funnel "${name}" cannot be used, at ${writePath(path)}: ${message}`, { hint }));
  }
  return bound.ok ? bound.value : undefined;
}

function checkMembers({ query, measures, dimensions, times }: Plan, name: string, issues: Issue[]): void {
  times.forEach(({ granularity }) => {
    if (granularity !== undefined) issues.push(errorIssue('funnel-by-time', `"${name}.date" only filters: a funnel has no series by ${granularity}.`, { path: ['timeDimensions'], hint: `Leave the granularity out, or ask \`sluice funnel run ${name} --trend ${granularity === 'week' || granularity === 'month' ? granularity : 'day'}\`.` }));
  });
  const byDate = dimensions.findIndex(({ dimension }) => dimension.name === 'date');
  if (byDate >= 0) issues.push(errorIssue('funnel-by-time', `"${name}.date" only filters: a funnel's rows are steps and have no date.`, { path: ['dimensions', byDate], hint: `Group by "${name}.step".` }));
  const count = measures.length > 0 && !dimensions.some(({ dimension }) => dimension.name === 'step');
  if (count) issues.push(errorIssue('funnel-without-step', `"${name}.count" is a number for each step.`, { path: ['measures'], hint: `Add the dimension "${name}.step"; those who converted are in its last row.` }));
  if (query.ungrouped) issues.push(errorIssue('funnel-ungrouped', `Nothing lies below the steps of the funnel "${name}".`, { path: ['ungrouped'], hint: `Leave "ungrouped" out. \`sluice funnel run ${name} --users converted\` lists users.` }));
}

/** A date says which events are looked at, so that it holds for all of them or is not there. */
function checkDates(filter: CanonicalFilter, date: string, path: IssuePath, choosing: boolean, issues: Issue[]): void {
  if ('and' in filter) return filter.and.forEach((part, index) => checkDates(part, date, [...path, 'and', index], choosing, issues));
  if ('or' in filter) return filter.or.forEach((part, index) => checkDates(part, date, [...path, 'or', index], true, issues));
  if (filter.member !== date) return;
  if (choosing) issues.push(errorIssue('funnel-date-choice', `"${date}" says which events are looked at, and cannot be one of several conditions.`, { path, hint: 'Take it out of the "or".' }));
  if (filter.operator === 'inDateRange' || filter.operator === 'beforeDate') return;
  issues.push(errorIssue('funnel-operator', `"${date}" cannot be compared by "${filter.operator}".`, { path: [...path, 'operator'], hint: hintFor(filter.operator) }));
}

function hintFor(operator: string): string {
  const before = operator === 'lt' || operator === 'beforeOrOnDate' || operator === 'lte';
  const day = operator === 'equals' || operator === 'onTheDate';
  if (before) return 'Use "beforeDate", with the day after the last one.';
  return day ? 'Use "inDateRange" with that one day.' : 'Use "inDateRange", with a first and a last day, or "beforeDate".';
}

function checkBackend({ funnel, computed }: FunnelSource, issues: Issue[]): void {
  const wayOut = `Export the events and ask here: \`sluice export\`, then \`sluice funnel run ${funnel.name} --backend embedded\`.`;
  if (computed === 'nowhere') {
    issues.push(errorIssue('unknown-member', `The server does not know the funnel "${funnel.name}": it has not been told of it, or has no funnels any more.`, { path: ['measures'], hint: wayOut }));
  } else if (computed === 'by-server' && funnel.extended) {
    issues.push(errorIssue('funnel-extended', `The file of the funnel "${funnel.name}" says more, under "sluice", than a server understands: its figures would be those of another funnel.`, { path: ['measures'], hint: wayOut }));
  }
}
