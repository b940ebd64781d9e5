import type { EventMatch, PathTarget } from '../../../ask/analysis/event-match.ts';
import type { Cube } from '../../../plan/model/model.ts';
import type { BoundDimension, BoundMeasure, Condition } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { conditionExpression } from '../../../plan/sql/condition-expression.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { allOf, anyOf, bound, type Expression, name, sql, trusted } from '../../../plan/sql/expression.ts';
import { dimensionExpression, expandTemplate, measureValue } from '../../../plan/sql/member-expression.ts';

/** What analyses call the relation of the events that they look at. */
export const lookedAt = 'looked_at';

/** They, for FROM. */
export function lookedAtEvents(dialect: Dialect): Expression {
  return sql`${dialect.lowerSource({ kind: 'events' }, new Set(), undefined)} AS ${trusted(lookedAt)}`;
}

// Dimensions of events are columns: they refer to no other member.
const scopeIn = (dialect: Dialect) => ({ model: { cubes: [] }, dialect });

/** Conditions on events in SQL over `looked_at`; undefined if there are none. */
export function lowerConditions(conditions: readonly Condition[], dialect: Dialect = duckDb): Expression | undefined {
  return conditions.length === 0
    ? undefined
    : allOf(conditions.map((condition) => conditionExpression(renamed(condition), scopeIn(dialect))));
}

/** A dimension of events in SQL over `looked_at`. */
export function lowerDimension(
  { cube, dimension }: Omit<BoundDimension, 'column'>,
  dialect: Dialect = duckDb,
): Expression {
  return dimensionExpression(aliased(cube), dimension, scopeIn(dialect));
}

/** The same as text. */
export function lowerText(bound: Omit<BoundDimension, 'column'>, dialect: Dialect): Expression {
  return dialect.toText(lowerDimension(bound, dialect), bound.dimension.type);
}

/** What a measure over events adds up of each, in SQL over `looked_at`. */
export function lowerAmount({ cube, measure }: Omit<BoundMeasure, 'column'>, dialect: Dialect): Expression {
  return measureValue(aliased(cube), measure, scopeIn(dialect)) ?? trusted('1');
}

/** Whether a measure over events cannot count one, and how people call those. */
export function lowerUncounted({ cube, measure }: Omit<BoundMeasure, 'column'>, dialect: Dialect) {
  return (measure.uncounted ?? []).map(({ sql: condition, what }) => ({
    what,
    condition: expandTemplate(condition, aliased(cube), scopeIn(dialect)),
  }));
}

function renamed(condition: Condition): Condition {
  if (condition.kind !== 'test') return { ...condition, conditions: condition.conditions.map(renamed) };
  const { operand } = condition;
  return { ...condition, operand: { ...operand, cube: aliased(operand.cube) } };
}

function aliased(cube: Cube): Cube {
  return { ...cube, name: lookedAt };
}

/** The type of event that a match asks for. */
export function typeCondition({ event }: Pick<EventMatch, 'event'>): readonly Expression[] {
  return event === undefined ? [] : [sql`event_type = ${bound({ type: 'text', value: event })}`];
}

/** Type and path of a match; its filters are lowered apart. */
export function matchConditions(match: EventMatch): readonly Expression[] {
  return [
    ...typeCondition(match),
    ...(match.targets.length === 0 ? [] : [pathCondition(name('doc_path'), match.targets)]),
  ];
}

/** The event's path is one of the targets. The targets travel beside the statement. */
export function pathCondition(path: Expression, targets: readonly PathTarget[]): Expression {
  return anyOf(
    targets.map((target) =>
      target.isPattern
        ? sql`regexp_full_match(${path}, ${bound({ type: 'text', value: toPathPattern(target.path) })})`
        : sql`${path} = ${bound({ type: 'text', value: target.path })}`,
    ),
  );
}

/**
 * `*` stands for any text without a slash, `**` for any text: as RE2 writes it, which takes linear time whatever the
 * pattern.
 */
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
