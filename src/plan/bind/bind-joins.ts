import { errorIssue } from '../../ask/outcome.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import { quote } from '../../ask/text.ts';
import {
  type Cube,
  type Dimension,
  type DimensionExpression,
  isOfModel,
  isPerUser,
  type Measure,
  type Model,
  type Template,
  type TemplatePart,
} from '../model/model.ts';
import type { BoundJoin, Condition, BoundSwitch } from '../plan.ts';
import { multipliedCubes } from '../sql/repeated-rows.ts';
import type { Binding } from './bind-context.ts';
import type { BoundMembers } from './bind-members.ts';

interface JoinTree {
  readonly root: Cube;
  readonly joins: readonly BoundJoin[];
  readonly multiplied: readonly string[];
}

/**
 * The smallest tree of the model's joins that contains all cubes of the query. Its root is one of these cubes if
 * possible; of several, the first named wins. As in Cube, joins are followed from the cube that declares them.
 */
export function bindJoins(asked: readonly Cube[], model: Model, binding: Binding): JoinTree | undefined {
  const paths = binding.paths ?? [];
  const onPaths = paths.flat().flatMap((name) => model.cubes.find((cube) => cube.name === name) ?? []);
  const cubes = [...new Set([...onPaths, ...asked])];
  const before = followPaths(paths, binding);
  if (!before) return undefined;
  const roots = [...cubes, ...model.cubes.filter((cube) => !cubes.includes(cube))];
  let best: JoinTree | undefined;
  for (const root of roots) {
    const joins = joinsFrom(root, cubes, model, before);
    if (joins && (!best || joins.length < best.joins.length))
      best = { root, joins, multiplied: multipliedCubes(root, joins) };
    if (best && best.joins.length <= cubes.length - 1) return best;
  }
  if (!best) {
    const named = cubes.filter(({ source }) => source.kind !== 'list');
    binding.issues.push(
      errorIssue('no-join', `No join connects ${named.map(({ name }) => quote(name)).join(' and ')}.`, {
        hint:
          hintOnSessions(named) ??
          hintOnEvents(named, model) ??
          'Query each cube separately, or declare a join in the model.',
      }),
    );
  }
  return best;
}

function hintOnSessions(cubes: readonly Cube[]): string | undefined {
  if (!cubes.every(({ source }) => source.kind === 'events' || source.kind === 'sessions')) return undefined;
  const users = cubes.map(({ name }) => `\`${name}.uniqueUsersCount\``).join(', ');
  const events = cubes.find(({ source, dimensions }) => source.kind === 'events' && dimensions.some(isSessionId));
  if (!events) return `Use members of one of them. Both have users: ${users}.`;
  return (
    'Use members of one of them: a session has no properties of its events, which may differ within it. ' +
    `If events have session IDs, \`${events.name}.distinct(sessionId)\` counts the sessions with such events. ` +
    `Both have users: ${users}.`
  );
}

/** Cubes that sluice makes of events, beside a cube of the model, which declares no join to them. */
function hintOnEvents(cubes: readonly Cube[], { events }: Model): string | undefined {
  const made = cubes.find(({ source }) => ['events', 'sessions', 'users', 'computed'].includes(source.kind));
  const [own, ...others] = cubes.filter(isOfModel);
  if (!made || !own) return undefined;
  if (!events)
    return (
      `Make the events a cube of the model, which can join ${quote(own.name)}: ` +
      '`meta: {sluice: {events: {time: …}}}`.'
    );
  if (own.name !== events.cube || others.length > 0) {
    const joined = others.length > 0 ? others.find(({ name }) => name !== events.cube)! : own;
    const { name: example } = joined.dimensions.find(({ primaryKey }) => !primaryKey) ?? { name: 'name' };
    return (
      `Ask ${quote(events.cube)}, if it joins ${quote(joined.name)}. ` +
      `${hintOnProperty(events.cube, `${joined.name}.${example}`)}`
    );
  }
  return made.source.kind === 'events'
    ? `Use members of one of them. ${quote(made.name)} has the other dimensions of ${quote(own.name)}` +
        ` as properties, such as \`${made.name}.sum(amount)\`.`
    : undefined;
}

/** How a dimension becomes a property of the events of a model. */
export function hintOnProperty(events: string, member: string): string {
  return (
    `To use it in analyses, make it a property of the events of ${quote(events)}: ` +
    `\`events: {…, properties: {${shortNameOf(member)}: ${member}}}\`.`
  );
}

function isSessionId({ name }: Dimension): boolean {
  return name === 'sessionId';
}

/**
 * Maps each cube on the paths of views to the cube before it, from which alone it may be joined. Returns undefined and
 * adds an issue if two paths reach a cube by different joins.
 */
function followPaths(
  paths: readonly (readonly string[])[],
  { issues }: Binding,
): ReadonlyMap<string, string | undefined> | undefined {
  const before = new Map<string, string | undefined>();
  for (const path of paths) {
    for (const [index, cube] of path.entries()) {
      const from = index === 0 ? before.get(cube) : path[index - 1];
      if (index > 0 && before.get(cube) !== undefined && before.get(cube) !== from) {
        issues.push(
          errorIssue(
            'two-paths',
            `Members of the view reach "${cube}" by two paths: from "${before.get(cube)}" and from "${from}".`,
            {
              hint: 'Query the members of each path separately.',
            },
          ),
        );
        return undefined;
      }
      before.set(cube, from);
    }
  }
  return before;
}

/**
 * The joins of the shortest paths from the root, found breadth first. Undefined if a wanted cube is unreachable.
 * `before`: for a restricted cube, the only cube from which it may be joined.
 */
function joinsFrom(
  root: Cube,
  wanted: readonly Cube[],
  model: Model,
  before: ReadonlyMap<string, string | undefined>,
): readonly BoundJoin[] | undefined {
  if (before.get(root.name) !== undefined) return undefined;
  const reachedBy = new Map<string, BoundJoin | undefined>([[root.name, undefined]]);
  const queue: Cube[] = [root];
  for (const from of queue) {
    for (const join of from.joins) {
      const to = model.cubes.find((cube) => cube.name === join.cube);
      if (!to || reachedBy.has(to.name)) continue;
      if ((before.get(to.name) ?? from.name) !== from.name) continue;
      reachedBy.set(to.name, { from, to, relationship: join.relationship, join, declaredBy: from });
      queue.push(to);
    }
  }
  const needed = new Set<BoundJoin>();
  for (const cube of wanted) {
    if (!reachedBy.has(cube.name)) return undefined;
    for (let join = reachedBy.get(cube.name); join; join = reachedBy.get(join.from.name)) needed.add(join);
  }
  return [...reachedBy.values()].filter((join) => join !== undefined && needed.has(join)) as BoundJoin[];
}

/** Dimensions computed from measures, with their cubes. */
export type FoundSubQueries = Map<Dimension, Cube>;

/** Switches that members and conditions use, with their cubes. */
export type FoundSwitches = Map<Dimension, Cube>;

export function toBoundSwitches(found: FoundSwitches): readonly BoundSwitch[] {
  return [...found].flatMap(([dimension, cube]) =>
    dimension.expression.kind === 'switch' ? [{ cube, dimension, values: dimension.expression.values }] : [],
  );
}

/** Every cube whose rows the members and conditions need, without duplicates. Includes references in their SQL. */
export function cubesOf(
  model: Model,
  needs: BoundMembers & { readonly conditions: readonly Condition[] },
  subQueries: FoundSubQueries = new Map(),
  switches: FoundSwitches = new Map(),
): readonly Cube[] {
  const cubes = new Set<Cube>();
  const byName = (name: string) => model.cubes.find((cube) => cube.name === name);
  const seen = new Set<object>();
  const visitTemplate = (template: Template): void => {
    if (seen.has(template)) return;
    seen.add(template);
    for (const part of template) {
      if (part.kind === 'joined-cube' || part.kind === 'member') {
        const cube = byName(part.cube);
        if (!cube) continue;
        cubes.add(cube);
        if (part.kind === 'member') visitMember(cube, part.member);
      }
    }
  };
  const visitMember = (cube: Cube, name: string): void => {
    const dimension = cube.dimensions.find((candidate) => candidate.name === name);
    if (dimension) visitDimension(cube, dimension);
    const measure = cube.measures.find((candidate) => candidate.name === name);
    if (measure) visitMeasure(measure);
    const segment = cube.segments.find((candidate) => candidate.name === name);
    if (segment) visitTemplate(segment.sql);
  };
  const visitDimension = (cube: Cube, dimension: Dimension): void => {
    if (dimension.expression.kind === 'sub-query' || isPerUser(dimension)) subQueries.set(dimension, cube);
    if (dimension.expression.kind === 'switch') switches.set(dimension, cube);
    for (const template of templatesOf(dimension.expression)) visitTemplate(template);
  };
  const visitMeasure = (measure: Measure): void => {
    if (measure.sql) visitTemplate(measure.sql);
    measure.filters.forEach(visitTemplate);
    for (const { sql } of measure.stage?.rank ?? []) visitTemplate(sql);
    visitTemplate((measure.stage?.addGroupBy ?? []).map(toReference));
  };
  const visitCondition = (condition: Condition): void => {
    if (condition.kind !== 'test') return condition.conditions.forEach(visitCondition);
    const { operand } = condition;
    cubes.add(operand.cube);
    if (operand.kind === 'dimension') visitDimension(operand.cube, operand.dimension);
    else visitMember(operand.cube, operand.measure.name);
  };
  for (const { cube, measure } of needs.measures) {
    cubes.add(cube);
    visitMeasure(measure);
  }
  for (const { cube, dimension } of [...needs.dimensions, ...needs.times]) {
    cubes.add(cube);
    visitDimension(cube, dimension);
  }
  for (const { cube, segment } of needs.segments) {
    cubes.add(cube);
    visitTemplate(segment.sql);
  }
  needs.conditions.forEach(visitCondition);
  return [...cubes];
}

function toReference(full: string): TemplatePart {
  const [cube = '', member = ''] = full.split('.');
  return { kind: 'member', cube, member };
}

function templatesOf(expression: DimensionExpression): readonly Template[] {
  if (expression.kind === 'sql' || expression.kind === 'time-part') return [expression.sql];
  // The statement that makes their rows joins their cubes.
  if (expression.kind === 'sub-query' || expression.kind === 'per-user' || expression.kind === 'switch') return [];
  if (expression.kind === 'touch') return templatesOf(expression.of.expression);
  const labels = [
    ...expression.when.map((branch) => branch.label),
    ...(expression.otherwise ? [expression.otherwise] : []),
  ];
  return [
    ...expression.when.map((branch) => branch.sql),
    ...labels.flatMap((label) => (label.kind === 'sql' ? [label.sql] : [])),
  ];
}
