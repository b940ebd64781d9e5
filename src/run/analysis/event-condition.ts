import type { EventMatch, PathTarget } from '../../ask/analysis/event-match.ts';
import { byList, type ListCube } from '../../plan/list-conditions.ts';
import { userKeyColumn } from '../../plan/model/event-fields.ts';
import type { Cube } from '../../plan/model/model.ts';
import type { BoundDimension, BoundMeasure, Condition } from '../../plan/plan.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import { conditionExpression } from '../../plan/sql/condition-expression.ts';
import { allOf, anyOf, boundText, type Expression, name, sql, trusted } from '../../plan/sql/expression.ts';
import { dimensionExpression, expandTemplate, measureValue } from '../../plan/sql/member-expression.ts';

/** The name of the relation of events in an analysis. */
const lookedAt = 'looked_at';

/** The relation, for FROM. `list`: with a row for each value of the list, beside its event. */
export function lookedAtEvents(dialect: Dialect, list?: ListCube): Expression {
  const events = dialect.lowerSource({ kind: 'events' }, new Set(), undefined);
  const rows = list ? dialect.eachOf({ ...list.source, of: lookedAt }, events, list.name) : events;
  return sql`${rows} AS ${trusted(lookedAt)}`;
}

// Dimensions of events are columns and refer to no other member.
const scopeIn = (dialect: Dialect) => ({ model: { cubes: [] }, dialect });

/**
 * Conditions on events, in SQL over `looked_at`; undefined if there are none. Conditions on the values of a list hold
 * for an event if one of its values meets them all.
 */
export function lowerConditions(conditions: readonly Condition[], dialect: Dialect): Expression | undefined {
  if (conditions.length === 0) return undefined;
  const lower = (condition: Condition) => conditionExpression(renamed(condition), scopeIn(dialect));
  return allOf(
    [...byList(conditions)].flatMap(([list, all]) =>
      list ? dialect.someValue({ ...list.source, of: lookedAt }, list.name, allOf(all.map(lower))) : all.map(lower),
    ),
  );
}

/** A dimension of events, in SQL over `looked_at`. */
export function lowerDimension({ cube, dimension }: Omit<BoundDimension, 'column'>, dialect: Dialect): Expression {
  return dimensionExpression(aliasedIfEvents(cube), dimension, scopeIn(dialect));
}

/** The same as text. */
export function lowerText(bound: Omit<BoundDimension, 'column'>, dialect: Dialect): Expression {
  return dialect.toText(lowerDimension(bound, dialect), bound.dimension.type);
}

/**
 * The key of the one whose event it is, in SQL over `looked_at`; null for nobody. `follow`: a dimension whose values
 * are followed in place of users, of which an empty text is none.
 */
export function followedKey(follow: Omit<BoundDimension, 'column'> | undefined, dialect: Dialect): Expression {
  return follow ? sql`nullif(${lowerText(follow, dialect)}, '')` : trusted(userKeyColumn);
}

/** The value that a measure adds up for each event, in SQL over `looked_at`. */
export function lowerAmount({ cube, measure }: Omit<BoundMeasure, 'column'>, dialect: Dialect): Expression {
  return measureValue(aliased(cube), measure, scopeIn(dialect)) ?? trusted('1');
}

/** The condition for events that a measure cannot count, and their name for people. */
export function lowerUncounted({ cube, measure }: Omit<BoundMeasure, 'column'>, dialect: Dialect) {
  return (measure.uncounted ?? []).map(({ sql: condition, what }) => ({
    what,
    condition: expandTemplate(condition, aliased(cube), scopeIn(dialect)),
  }));
}

function renamed(condition: Condition): Condition {
  if (condition.kind !== 'test') return { ...condition, conditions: condition.conditions.map(renamed) };
  const { operand } = condition;
  return { ...condition, operand: { ...operand, cube: aliasedIfEvents(operand.cube) } };
}

function aliased(cube: Cube): Cube {
  return { ...cube, name: lookedAt };
}

/** The values of a list keep their own name beside their event. */
function aliasedIfEvents(cube: Cube): Cube {
  return cube.source.kind === 'list' ? cube : aliased(cube);
}

/** The event type of a match. */
export function typeCondition({ event }: Pick<EventMatch, 'event'>): readonly Expression[] {
  return event === undefined ? [] : [sql`event_type = ${boundText(event)}`];
}

/** Type and path of a match. Its filters are lowered separately. */
export function matchConditions(match: EventMatch): readonly Expression[] {
  return [
    ...typeCondition(match),
    ...(match.targets.length === 0 ? [] : [pathCondition(name('doc_path'), match.targets)]),
  ];
}

/** Whether the event's path is one of the targets, which are bound as parameters. */
export function pathCondition(path: Expression, targets: readonly PathTarget[]): Expression {
  return anyOf(
    targets.map((target) =>
      target.isPattern
        ? sql`regexp_full_match(${path}, ${boundText(toPathPattern(target.path))})`
        : sql`${path} = ${boundText(target.path)}`,
    ),
  );
}

/** `*` matches any text without a slash, `**` any text. Compiled to RE2, which takes linear time for any pattern. */
function toPathPattern(path: string): string {
  return path
    .split(/(\*+)/)
    .map((part) => {
      if (part.startsWith('**')) return '(?s:.*)';
      return part === '*'
        ? '[^/]*'
        : part.replace(/[^\p{L}\p{N}/_-]/gu, (letter) => `\\x{${letter.codePointAt(0)!.toString(16)}}`);
    })
    .join('');
}
