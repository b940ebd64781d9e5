import { errorIssue, type Issue } from '../../outcome.ts';
import { cubeOf } from '../member-name.ts';
import type { NameScope } from '../name-scope.ts';
import type { Places } from '../places.ts';
import type { OrderPair, Query } from '../query.ts';
import { asksForSomething } from '../asks-for-something.ts';
import { nothingToRank } from './nothing-to-rank.ts';
import { resolveCondition } from './resolve-condition.ts';
import { resolveGroups, type TimeGroup } from './resolve-groups.ts';
import type { Syntax } from './syntax.ts';

/** The query that a line (`text`) says, with the places of its parts. What is wrong is told in `issues` and the scope's. */
export function resolveNotation(
  syntax: Syntax, text: string, scope: NameScope, places: Places,
): { readonly query: Query; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const measures = resolveMeasures(syntax, scope, places);
  const { dimensions, times } = resolveGroups(syntax.groups, scope, places);
  // Without measures, the first dimension tells which cube's time is meant.
  const timeMember = scope.timeMember(measures.length === 0 && dimensions[0] !== undefined ? cubeOf(dimensions[0]) : undefined);
  const segments = resolveSegments(syntax, scope, places);
  const filters = syntax.conditions.flatMap((node, index) => resolveCondition(node, ['filters', index], scope, places) ?? []);
  const query: Query = {
    ...some('measures', measures),
    ...some('dimensions', dimensions),
    ...some('timeDimensions', resolveTimes(syntax, times, timeMember, places, issues)),
    ...some('segments', segments),
    ...some('filters', filters),
    ...some('order', resolveOrder(syntax, measures, times, timeMember, scope, places, issues)),
    ...resolveNumbers(syntax, places, issues),
    ...(syntax.zone && { timezone: syntax.zone.text }),
  };
  if (syntax.zone) places.put(['timezone'], syntax.zone.span);
  if (syntax.pick && syntax.measures.length + syntax.order.length === 0) {
    issues.push(nothingToRank(syntax.pick, text, dimensions, scope, places));
  }
  if (issues.length + scope.issues.length === 0 && !asksForSomething(query)) {
    issues.push(errorIssue('nothing-asked', 'The line asks for nothing.', { hint: 'Start with a measure, such as `pageViewsCount by docPath`.' }));
  }
  return { query, issues };
}

function resolveMeasures(syntax: Syntax, scope: NameScope, places: Places): readonly string[] {
  const measures: string[] = [];
  for (const node of syntax.measures) {
    const found = scope.resolve(node, 'measure');
    if (!found) continue;
    if (measures.length === 0) scope.enterCube(cubeOf(found.name));
    places.put(['measures', measures.length], node.span);
    measures.push(found.name);
  }
  return measures;
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

function resolveTimes(syntax: Syntax, groups: readonly TimeGroup[], timeMember: string, places: Places, issues: Issue[]) {
  const { range, compare } = syntax;
  const times: NonNullable<Query['timeDimensions']>[number][] = groups.map(({ dimension = timeMember, granularity }) => ({ dimension, granularity }));
  if (range && compare.length > 0) {
    issues.push(errorIssue('two-ranges', 'A line has one range of time, or several to compare.', {
      span: range.span, hint: 'Put every range into `compare … with …`.',
    }));
  }
  const ranged = compare.length > 0 ? { compareDateRange: compare.map((node) => node.range) } : range && { dateRange: range.range };
  if (ranged) times[0] = { ...(times[0] ?? { dimension: timeMember }), ...ranged };
  groups.forEach(({ span }, index) => places.put(['timeDimensions', index], span));
  const first = compare[0] ?? range;
  if (first && groups.length === 0) places.put(['timeDimensions', 0], first.span);
  if (range) places.put(['timeDimensions', 0, 'dateRange'], range.span);
  compare.forEach(({ span }, index) => places.put(['timeDimensions', 0, 'compareDateRange', index], span));
  return times;
}

function resolveOrder(
  syntax: Syntax, measures: readonly string[], times: readonly TimeGroup[], timeMember: string, scope: NameScope, places: Places, issues: Issue[],
): readonly OrderPair[] {
  const { pick, order } = syntax;
  if (pick && order.length > 0) {
    issues.push(errorIssue('notation-twice', '"top" and "bottom" already say the order.', {
      span: order[0]?.by.span, hint: `Write \`limit ${pick.value}\` and \`order by\`.`,
    }));
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

function resolveNumbers({ pick, limit, offset }: Syntax, places: Places, issues: Issue[]): Pick<Query, 'limit' | 'offset'> {
  if (pick && limit) {
    issues.push(errorIssue('notation-twice', '"top" and "bottom" already limit the rows.', { span: limit.span, hint: 'Keep one of them.' }));
  }
  const most = pick ?? limit;
  if (most) places.put(['limit'], most.span);
  if (offset) places.put(['offset'], offset.span);
  return { ...(most && { limit: most.value }), ...(offset && { offset: offset.value }) };
}

function some<Key extends string, T>(key: Key, list: readonly T[]) {
  return (list.length === 0 ? {} : { [key]: list }) as { readonly [K in Key]?: readonly T[] };
}
