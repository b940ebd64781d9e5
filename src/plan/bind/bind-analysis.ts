import { writePath } from '../../ask/document/issue-path.ts';
import { errorIssue, type Issue, type IssuePath, type Outcome, settle } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { Filter } from '../../ask/query/query.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import type { DefinitionTools, NamedDefinition } from '../analysis.ts';
import { analysisOf } from '../analysis/analyses.ts';
import { toCatalog } from '../model/catalog.ts';
import type { ComputedSource } from '../model/model.ts';
import type { BoundComputation, Condition, Plan } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { bindFilter } from './bind-filter.ts';
import { findMember } from './find-member.ts';

/**
 * What the analysis of the plan's root computes; undefined, without issues, if the root is no cube of an analysis. What
 * the analysis cannot answer, and what is wrong with its definition, are issues.
 */
export function bindComputation(plan: Plan, { issues, time }: Binding): BoundComputation | undefined {
  const { name, source } = plan.root;
  if (source.kind !== 'computed') return undefined;
  const analysis = analysisOf(source);
  const { definition } = source;
  analysis.check(plan, source as ComputedSource<NamedDefinition>, issues);
  if (source.computed !== 'here') return { analysis: analysis.name, definition, bound: undefined };
  const bound = bindDefinition(source, time);
  for (const { code, message, path, hint, severity, name: member } of bound.issues) {
    if (severity === 'error')
      issues.push(
        errorIssue(
          code,
          `The file of the ${analysis.name} "${name}" cannot be used, at ${writePath(path)}: ${message}`,
          { hint, name: member },
        ),
      );
  }
  return bound.ok ? { analysis: analysis.name, definition, bound: bound.value } : undefined;
}

/**
 * A definition with the members that it names, which are those of cubes of events, whatever the model of the questions
 * is. Issues have paths into the definition's file.
 */
export function bindDefinition(
  source: Pick<ComputedSource, 'analysis' | 'definition' | 'events'>,
  time: TimeContext,
): Outcome<unknown> {
  const issues: Issue[] = [];
  const bound = analysisOf(source).bind(source.definition as NamedDefinition, toTools(source, time, issues));
  return settle(bound, issues);
}

function toTools({ events }: Pick<ComputedSource, 'events'>, time: TimeContext, issues: Issue[]): DefinitionTools {
  const binding: Binding = { catalog: toCatalog(events), time, issues };
  return {
    time,
    issues,
    bindFilters: (filters, path) => bindEventFilters(filters, path, binding),
    findDimension: (name, path) => findEventDimension(name, path, binding),
  };
}

function bindEventFilters(filters: readonly Filter[], path: IssuePath, binding: Binding): readonly Condition[] {
  const { filters: canonical = [] } = toCanonicalQuery({ filters });
  return canonical.flatMap((filter, index) => {
    const at = [...path, index];
    const bound = bindFilter(filter, at, binding);
    if (!bound) return [];
    if (!isAboutEvents(bound.condition)) {
      binding.issues.push(
        errorIssue(
          'not-of-events',
          'This does not compare an event: it names a measure, or a cube whose rows are no events.',
          {
            path: at,
            hint: 'Name a dimension of TrackedEvents, such as TrackedEvents.docHost.',
          },
        ),
      );
    }
    return [bound.condition];
  });
}

function isAboutEvents(condition: Condition): boolean {
  if (condition.kind !== 'test') return condition.conditions.every(isAboutEvents);
  return condition.operand.kind === 'dimension' && condition.operand.cube.source.kind === 'events';
}

function findEventDimension(
  name: string,
  path: IssuePath,
  binding: Binding,
): ReturnType<DefinitionTools['findDimension']> {
  const found = findMember(name, ['dimension'], path, binding);
  if (!found) return undefined;
  if (found.cube.source.kind !== 'events') {
    binding.issues.push(
      errorIssue('not-of-events', `"${name}" is not of an event.`, {
        path,
        hint: 'Name a dimension of TrackedEvents, such as TrackedEvents.agentName.',
      }),
    );
  }
  return { cube: found.cube, dimension: found.member };
}
