import { mapConditionals, mapNames } from './formula.ts';
import { nameOfFormula, writeFormula } from './write-formula.ts';
import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { fewestColumns } from '../query/canonical-query.ts';
import { cubeOf, shortNameOf } from '../query/member-name.ts';
import type { Places } from '../document/located.ts';
import { asksForSomething, type OrderPair, type Query } from '../query/query.ts';
import { quote } from '../text.ts';
import type { GranularityName } from '../time/granularity.ts';
import type { NameScope } from './name-scope.ts';
import { resolveRanges } from './parse-comparison.ts';
import { resolveCondition, resolveConditional } from './resolve-condition.ts';
import type { BucketOwner, ConditionNode, GroupNode, MeasureNode, NameNode, PickNode, Syntax } from './syntax.ts';
import type { ResolvedName } from './wrong-kind.ts';

/** Converts the syntax of a line (`text`) to a query and notes its places. Errors go into `issues` and the scope's. */
export function resolveNotation(
  syntax: Syntax,
  text: string,
  scope: NameScope,
  places: Places,
): { readonly query: Query; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const { measures, formulas } = resolveMeasures(syntax.measures, scope, places, issues);
  const { dimensions, times, groups } = resolveGroups(syntax.groups, scope, places);
  // Without measures, the first dimension decides the cube of the time.
  const timeMember = scope.timeMember(
    measures.length === 0 && dimensions[0] !== undefined ? cubeOf(dimensions[0]) : undefined,
  );
  const segments = resolveSegments(syntax, scope, places);
  const filters = syntax.conditions.flatMap(
    (node, index) => resolveCondition(node, ['filters', index], scope, places) ?? [],
  );
  const columns = syntax.rows && dimensions.length === 0 && times.length === 0 ? scope.rowColumns(filters) : dimensions;
  if (syntax.rows && times.length > 0) {
    issues.push(
      errorIssue('rows-in-buckets', 'Raw events have no buckets of time.', {
        span: times[0]?.span ?? syntax.rows,
        hint: 'Start with a measure, such as `count by day`.',
      }),
    );
  }
  const buckets = resolveTimes(syntax, times, timeMember, places, issues);
  const asked = groups.map((group) =>
    typeof group === 'string' ? group : `${group.dimension ?? timeMember}.${group.granularity}`,
  );
  const order = resolveOrder(syntax, measures, times, timeMember, scope, places, issues);
  const query: Query = {
    ...some('measures', measures),
    ...(formulas.size > 0 && { formulas: Object.fromEntries(formulas) }),
    ...some('dimensions', columns),
    ...(syntax.rows && { ungrouped: true }),
    ...some('timeDimensions', buckets),
    ...some('columns', fewestColumns(asked, { dimensions: columns, timeDimensions: buckets })),
    ...some('segments', segments),
    ...some('filters', filters),
    // Raw rows are listed latest first, if their time is listed.
    ...some(
      'order',
      syntax.rows && order.length === 0 && columns.includes(timeMember) ? [[timeMember, 'desc'] as const] : order,
    ),
    ...resolveNumbers(syntax, places, issues),
    ...(syntax.other && { other: true }),
    ...(syntax.zone && { timezone: syntax.zone.text }),
  };
  if (syntax.other) places.put(['other'], syntax.other);
  if (syntax.zone) places.put(['timezone'], syntax.zone.span);
  // The line with a measure can only be written if its names are known.
  if (syntax.pick && syntax.measures.length + syntax.order.length + scope.issues.length === 0) {
    issues.push(nothingToRank(syntax.pick, text, dimensions, scope, places));
  }
  if (issues.length + scope.issues.length === 0 && !asksForSomething(query)) {
    issues.push(
      errorIssue('nothing-asked', 'The line requests nothing.', {
        hint: 'Start with a measure, such as `pageViewsCount by docPath`.',
      }),
    );
  }
  return { query, issues };
}

/** Resolves measures and formulas. Short names are looked up in the cube of the first one. */
export function resolveMeasures(
  nodes: readonly MeasureNode[],
  scope: NameScope,
  places: Places,
  issues: Issue[],
): { readonly measures: readonly string[]; readonly formulas: ReadonlyMap<string, string> } {
  const measures: string[] = [];
  const formulas = new Map<string, string>();
  const add = (name: string, span: Span) => {
    places.put(['measures', measures.length], span);
    measures.push(name);
  };
  for (const node of nodes) {
    const isFirst = measures.length === 0;
    if (!node.formula) {
      const found = scope.resolve(node, 'measure', nodes.length > 1);
      if (!found) continue;
      if (isFirst) scope.enterCube(cubeOf(found.name));
      add(found.name, node.span);
      continue;
    }
    let home: string | undefined;
    let isKnown = true;
    const named = mapNames<NameNode, string, ConditionNode>(node.formula, (name, change) => {
      const found = scope.resolve(name, 'measure', true);
      if (!found) isKnown = false;
      else if (home === undefined) {
        home = cubeOf(found.name);
        if (isFirst) scope.enterCube(home);
      }
      return { kind: 'measure', name: found?.name ?? name.text, ...(change && { change }) };
    });
    const formula = mapConditionals(named, (conditional) => resolveConditional(conditional, scope));
    if (!isKnown) continue;
    const name = `${home ?? scope.cube()}.${node.as?.text ?? nameOfFormula(formula)}`;
    const text = writeFormula(formula);
    if (formulas.has(name) && formulas.get(name) !== text) {
      issues.push(
        errorIssue('formula-twice', `Two formulas are named ${quote(shortNameOf(name))}.`, {
          span: node.as?.span ?? node.span,
          hint: 'Name one of them, such as `… as viewsPerUser`.',
        }),
      );
    }
    formulas.set(name, text);
    places.put(['formulas', name], node.span);
    add(name, node.span);
  }
  for (const name of formulas.keys()) scope.define(name);
  return { measures, formulas };
}

function resolveSegments(syntax: Syntax, scope: NameScope, places: Places): readonly string[] {
  const segments: string[] = [];
  for (const node of syntax.segments) {
    const found = scope.resolve(node, 'segment');
    if (!found) continue;
    places.put(['segments', segments.length], node.span);
    segments.push(found.name);
  }
  return segments;
}

function resolveTimes(
  syntax: Syntax,
  groups: readonly TimeGroup[],
  timeMember: string,
  places: Places,
  issues: Issue[],
) {
  const { range, compare } = resolveRanges(syntax.range, syntax.compare, (issue) => issues.push(issue));
  const times: NonNullable<Query['timeDimensions']>[number][] = groups.map(
    ({ dimension = timeMember, granularity }) => ({ dimension, granularity }),
  );
  const ranged =
    compare.length > 0 ? { compareDateRange: compare.map((node) => node.range) } : range && { dateRange: range.range };
  if (ranged) times[0] = { ...(times[0] ?? { dimension: timeMember }), ...ranged };
  groups.forEach(({ span }, index) => places.put(['timeDimensions', index], span));
  const first = compare[0] ?? range;
  if (first && groups.length === 0) places.put(['timeDimensions', 0], first.span);
  if (range) places.put(['timeDimensions', 0, 'dateRange'], range.span);
  compare.forEach(({ span }, index) => places.put(['timeDimensions', 0, 'compareDateRange', index], span));
  return times;
}

function resolveOrder(
  syntax: Syntax,
  measures: readonly string[],
  times: readonly TimeGroup[],
  timeMember: string,
  scope: NameScope,
  places: Places,
  issues: Issue[],
): readonly OrderPair[] {
  const { pick, order } = syntax;
  if (pick && order.length > 0) {
    issues.push(
      errorIssue('notation-twice', '"top" and "bottom" already set the order.', {
        span: order[0]?.by.span,
        hint: `Write \`limit ${pick.value}\` and \`order by\`.`,
      }),
    );
  } else if (pick && measures[0] !== undefined) {
    places.put(['order', 0], pick.span);
    return [[measures[0], pick.direction]];
  }
  return order.flatMap(({ by, direction }, index): readonly OrderPair[] => {
    places.put(['order', index], by.span);
    if ('granularity' in by) {
      const time = times.find(({ granularity }) => granularity === by.granularity);
      return [[`${time?.dimension ?? timeMember}.${by.granularity}`, direction]];
    }
    const found = scope.resolve(by);
    return found ? [[found.granularity ? `${found.name}.${found.granularity}` : found.name, direction]] : [];
  });
}

function resolveNumbers(
  { pick, limit, offset }: Syntax,
  places: Places,
  issues: Issue[],
): Pick<Query, 'limit' | 'offset'> {
  if (pick && limit) {
    issues.push(
      errorIssue('notation-twice', '"top" and "bottom" already limit the rows.', {
        span: limit.span,
        hint: 'Keep one of them.',
      }),
    );
  }
  const most = pick ?? limit;
  if (most) places.put(['limit'], most.span);
  if (offset) places.put(['offset'], offset.span);
  return { ...(most && { limit: most.value }), ...(offset && { offset: offset.value }) };
}

function some<Key extends string, T>(key: Key, list: readonly T[]) {
  return (list.length === 0 ? {} : { [key]: list }) as { readonly [K in Key]?: readonly T[] };
}

/** A bucketed time; without a dimension it is the cube's usual time. */
interface TimeGroup {
  readonly dimension: string | undefined;
  readonly granularity: GranularityName;
  readonly span: Span;
}

/** Sorts the groups into dimensions and buckets of time. */
function resolveGroups(
  nodes: readonly GroupNode[],
  scope: NameScope,
  places: Places,
): {
  readonly dimensions: readonly string[];
  readonly times: readonly TimeGroup[];
  /** All of them in written order. */
  readonly groups: readonly (string | TimeGroup)[];
} {
  const resolved = nodes.map((node) => (node.kind === 'name' ? scope.resolve(node.name, 'group') : undefined));
  const owners = new Map(
    nodes.flatMap((node, index) => {
      const owner = node.kind === 'bucket' && node.after ? node.after.group : undefined;
      return owner !== undefined && node.kind === 'bucket' && takesBucket(resolved[owner], node.after, scope)
        ? [[index, owner] as const]
        : [];
    }),
  );
  const owned = new Set(owners.values());
  const dimensions: string[] = [];
  const times: TimeGroup[] = [];
  const groups: (string | TimeGroup)[] = [];
  const addTime = (time: TimeGroup) => {
    times.push(time);
    groups.push(time);
  };
  nodes.forEach((node, index) => {
    if (node.kind === 'bucket') {
      const owner = owners.get(index);
      addTime({
        dimension: owner === undefined ? undefined : resolved[owner]?.name,
        granularity: node.granularity,
        span: node.span,
      });
      return;
    }
    const found = resolved[index];
    if (!found || owned.has(index)) return;
    if (found.granularity) addTime({ dimension: found.name, granularity: found.granularity, span: node.name.span });
    else {
      places.put(['dimensions', dimensions.length], node.name.span);
      dimensions.push(found.name);
      groups.push(found.name);
    }
  });
  return { dimensions, times, groups };
}

/**
 * Whether a bucket belongs to the name beside it: `utcTime by day`. For an unknown name, it does if `by` joins them, and
 * for any in `day of finished_at`.
 */
function takesBucket(name: ResolvedName | undefined, owner: BucketOwner | undefined, scope: NameScope): boolean {
  if (!name || name.granularity || !owner) return false;
  if (owner.of || (name.kind === 'unknown' && owner.joined)) return true;
  return name.kind === 'time' || scope.isTimeText(name.name);
}

/** The issue about `top 5 pages` in a line without measures. Its hint is the line with a measure. */
function nothingToRank(
  pick: PickNode,
  text: string,
  dimensions: readonly string[],
  scope: NameScope,
  places: Places,
): Issue {
  const line = withMeasure(pick, text, dimensions, scope, places);
  const hint = line === undefined ? `Write \`limit ${pick.value}\`, or start with a measure.` : `Write \`${line}\`.`;
  return errorIssue('nothing-to-rank', '"top" and "bottom" need a measure to rank by.', { span: pick.span, hint });
}

function withMeasure(
  { value, direction, clause }: PickNode,
  text: string,
  dimensions: readonly string[],
  scope: NameScope,
  places: Places,
): string | undefined {
  const cube = dimensions[0] === undefined ? scope.cube() : cubeOf(dimensions[0]);
  const spanOf = (index: number) => places.locate(['dimensions', index]);
  // In `top 5 products by revenue`, the amount is the measure.
  const amount = dimensions.findIndex(
    (name, index) => scope.sumOf(name) && text.slice(clause.end, spanOf(index)?.start).trim() === 'by',
  );
  const measure = ['pageViewsCount', 'count']
    .map((short) => `${cube}.${short}`)
    .find((name) => scope.kindOf(name) === 'measure');
  if (measure === undefined) return undefined;
  const ranked = dimensions.filter((_, index) => {
    const span = spanOf(index);
    return span && span.start >= clause.start && span.end <= clause.end;
  });
  const usual = cube === scope.cube() ? shortNameOf(measure) : measure;
  const parts = [
    (amount === -1 ? undefined : scope.sumOf(dimensions[amount]!)) ?? usual,
    text.slice(0, clause.start).trim(),
    ranked.length === 0
      ? ''
      : `by ${ranked.map((name) => (cubeOf(name) === cube ? shortNameOf(name) : name)).join(', ')}`,
    `${direction === 'desc' ? 'top' : 'bottom'} ${value}`,
    text.slice(amount === -1 ? clause.end : spanOf(amount)?.end).trim(),
  ];
  return parts.filter(Boolean).join(' ');
}
