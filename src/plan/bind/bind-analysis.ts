import { writePath } from '../../ask/document/located.ts';
import { invariant } from '../../ask/invariant.ts';
import { errorIssue, type Issue, type IssuePath, type Outcome, settle } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { cubeOf } from '../../ask/query/member-name.ts';
import type { Filter } from '../../ask/query/query.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { analysisOf, type DefinitionSurroundings, type DefinitionTools, type NamedDefinition } from '../analysis.ts';
import { listsIn, partsOf } from '../list-conditions.ts';
import { isCohortCube } from '../analysis/cohort/cohort-members.ts';
import { toCatalog } from '../model/catalog.ts';
import { type ComputedSource, isOfModel, type Model } from '../model/model.ts';
import { ownProperties } from '../model/own-properties.ts';
import type { BoundComputation, Condition, Plan, PlanCohort } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { bindFilter } from './bind-filter.ts';
import { hintOnProperty } from './bind-joins.ts';
import { findMember } from './find-member.ts';

/**
 * Binds the computation of the plan's root. Returns undefined without issues if no analysis computes the root's cube.
 * Adds issues for parts that the analysis cannot answer, and for errors in its definition. `events`: conditions on the
 * events, in addition to the conditions of the definition.
 */
export function bindComputation(
  plan: Plan,
  { issues, time, cohorts }: Binding,
  events: readonly Condition[],
): BoundComputation | undefined {
  const { name, source } = plan.root;
  if (source.kind !== 'computed') return undefined;
  const { definition } = source;
  const analysis = analysisOf(source);
  analysis.check(plan, source as ComputedSource<NamedDefinition>, issues);
  if (source.computed !== 'here') return { analysis: analysis.name, definition, bound: undefined };
  const bound = bindDefinition(source, time, { cohorts, model: plan.model });
  if (source.inline)
    issues.push(...bound.issues.map((issue) => ({ ...issue, path: inQuestion(analysis.name, issue.path) })));
  else tellDefinition(analysis.name, name, bound.issues, issues);
  if (!bound.ok) return undefined;
  const { value } = bound;
  return { analysis: analysis.name, definition, bound: events.length === 0 ? value : withEvents(value, events) };
}

/** The cohorts that a plan needs: those that its members name, and the cohort that the question is about. */
export function bindNeededCohorts(
  plan: Plan,
  { issues, time, cohorts: named = new Set() }: Binding,
): readonly PlanCohort[] {
  const cube = named.size > 0 || isCohortCube(plan.root) ? plan.model.cubes.find(isCohortCube) : undefined;
  if (!cube) return [];
  const { bindNeeded } = analysisOf(cube.source);
  invariant(bindNeeded, 'the analysis of cohorts binds those that a plan needs');
  return bindNeeded(plan, named, { time, issues, toTools, tellDefinition });
}

/** Every analysis that accepts conditions on its events keeps the definition's conditions under `where`. */
function withEvents(bound: unknown, events: readonly Condition[]): unknown {
  const { where } = bound as { readonly where?: readonly Condition[] };
  invariant(where, 'the analysis looks at events by conditions');
  return { ...(bound as object), where: [...where, ...events] };
}

/** The path of a definition's part inside a question. Only funnel files have the extension key `sluice`. */
function inQuestion(analysis: string, path: IssuePath): IssuePath {
  const own = path.filter((step) => step !== 'sluice');
  return ['define', ...(own[0] === analysis ? own : [analysis, ...own])];
}

/** Adds the issues of a definition's file to the issues of a question. */
function tellDefinition(analysis: string, name: string, found: readonly Issue[], issues: Issue[]): void {
  for (const { code, message, path, hint, severity, name: unknown } of found)
    if (severity === 'error')
      issues.push(
        errorIssue(code, `The ${analysis} "${name}" cannot be used, at ${writePath(path)}: ${message}`, {
          hint,
          name: unknown,
        }),
      );
}

/**
 * Resolves the members of a definition. They belong to cubes of events, whatever the model of the question. Issues have
 * paths into the definition's file.
 */
export function bindDefinition(
  source: Pick<ComputedSource, 'analysis' | 'definition' | 'events'>,
  time: TimeContext,
  surroundings: DefinitionSurroundings = {},
): Outcome<unknown> {
  const issues: Issue[] = [];
  const tools = toTools(source, time, issues, surroundings);
  return settle(analysisOf(source).bind(source.definition as NamedDefinition, tools), issues);
}

function toTools(
  { events }: Pick<ComputedSource, 'events'>,
  time: TimeContext,
  issues: Issue[],
  { cohorts, model, place = (condition) => condition }: DefinitionSurroundings,
): DefinitionTools {
  const noTouches = {
    reason: 'A definition can filter and split events only by dimensions of the events themselves.',
    hint: 'Use a dimension of the events, without first touch, last touch or `per user`.',
  };
  const catalog = toCatalog(withProperties(events, model));
  const binding: Binding = { catalog, time, issues, cohorts, noTouches, byColumns: true };
  const ofEvents = { ...binding, noLists: true };
  return {
    time,
    issues,
    bindFilters: (filters, path) => bindEventFilters(filters, path, binding).map(place),
    findDimension: (name, path, hint) => findEventDimension(name, path, ofEvents, hint),
    findMeasure(name, path) {
      const found = findMember(name, ['measure'], path, ofEvents);
      return found && { cube: found.cube, measure: found.member };
    },
  };
}

/** The cubes of events, and of the values of their lists, as the question's model has them. */
function withProperties(events: Model, model: Model | undefined): Model {
  if (!model) return events;
  const ofKind = (kind: 'events' | 'list') => model.cubes.filter(({ source }) => source.kind === kind);
  const known = new Map(ofKind('events').map((cube) => [cube.name, cube]));
  const own = events.cubes.filter(({ source }) => source.kind !== 'list');
  return {
    ...events,
    columns: model.columns,
    cubes: [
      ...own.map((cube) => (cube.source.kind === 'events' ? known.get(cube.name) : undefined) ?? cube),
      ...ofKind('list'),
    ],
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
          'This filter does not apply to events: it names a measure, or a cube whose rows are not events.',
          {
            path: at,
            hint:
              ('member' in filter ? hintOnOwn(filter.member, binding) : undefined) ??
              'Name a dimension of TrackedEvents, such as TrackedEvents.docHost.',
          },
        ),
      );
    }
    // Conditions on two lists hold for an event separately, unless one of them is enough.
    const conditions = partsOf(bound.condition);
    if (conditions.some((condition) => listsIn(condition).length > 1)) {
      const message = 'This filter combines the values of two lists with "or".';
      binding.issues.push(errorIssue('two-lists', message, { path: at, hint: 'Test the values of one list in it.' }));
    }
    return conditions;
  });
}

/** For a dimension of the model that is no field of the events, but is or can be a property of them. */
function hintOnOwn(name: string, { catalog: { model } }: Binding): string | undefined {
  const [property] = [...ownProperties(model)].find(([, member]) => member === name) ?? [];
  if (property !== undefined) return `Write it as a property of the events: \`${property}\`.`;
  const cube = model.cubes.find((each) => each.name === cubeOf(name));
  if (!model.events || !cube || !isOfModel(cube)) return undefined;
  return hintOnProperty(model.events.cube, name);
}

function isAboutEvents(condition: Condition): boolean {
  if (condition.kind !== 'test') return condition.conditions.every(isAboutEvents);
  const { kind, cube } = condition.operand;
  return kind === 'dimension' && (cube.source.kind === 'events' || cube.source.kind === 'list');
}

function findEventDimension(
  name: string,
  path: IssuePath,
  binding: Binding,
  hint?: string,
): ReturnType<DefinitionTools['findDimension']> {
  const issues: Issue[] = [];
  const found = findMember(name, ['dimension'], path, { ...binding, issues });
  const isUnlike = (issue: Issue) => issue.code === 'unknown-member' && !issue.hint?.startsWith('Did you mean');
  binding.issues.push(
    ...issues.map((issue) =>
      hint && isUnlike(issue) ? { ...issue, hint: `${hint} ${issue.hint ?? ''}`.trim() } : issue,
    ),
  );
  if (!found) return undefined;
  if (found.cube.source.kind !== 'events') {
    binding.issues.push(
      errorIssue('not-of-events', `"${name}" is not a dimension of events.`, {
        path,
        hint: hintOnOwn(name, binding) ?? 'Name a dimension of TrackedEvents, such as TrackedEvents.agentName.',
      }),
    );
  }
  return { cube: found.cube, dimension: found.member };
}
