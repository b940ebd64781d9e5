import { errorIssue, settle, type Issue, type IssuePath, type Outcome } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { Filter } from '../../ask/query/query.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { toCatalog } from '../model/catalog.ts';
import type { FunnelSource } from '../model/model.ts';
import type { BoundFunnel, Condition } from '../plan.ts';
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
