import { userKeyColumn } from '../model/event-fields.ts';
import type { Cube, Dimension, DimensionExpression } from '../model/model.ts';
import { type Expression, name, sql } from './expression.ts';

/** Prefix of the alias of a touch relation, followed by the attributed dimension's full name. */
export const touchPrefix = 'touch: ';

/** Columns of these relations besides the user. */
export const touchAt = 'at';
export const touchedValue = 'value';

/**
 * The attributed value of a row; `own` is the row's own value. A row with a value is its own last touch. Without a user
 * there is no value.
 */
export function touchExpression(
  cube: Cube,
  { touch, of }: Extract<DimensionExpression, { kind: 'touch' }>,
  own: Expression,
): Expression {
  const alias = `${touchPrefix}${cube.name}.${touch}.${of.name}`;
  if (touch === 'firstTouch')
    return sql`(CASE WHEN ${name(alias, touchAt)} <= ${timeOf(cube)} THEN ${name(alias, touchedValue)} END)`;
  const known = sql`${name(cube.name, userKeyColumn)} IS NOT NULL`;
  return sql`(CASE WHEN ${known} AND ${hasValue(own, of)} THEN ${own} ELSE ${name(alias, touchedValue)} END)`;
}

/** Empty text does not count as a value. */
export function hasValue(value: Expression, { type }: Dimension): Expression {
  return type === 'string' ? sql`(${value} <> '')` : sql`(${value} IS NOT NULL)`;
}

/** The time of a cube's row. */
export function timeOf({ name: cube, source }: Cube): Expression {
  return name(cube, source.kind === 'sessions' ? 'start_at' : 'utc_time');
}
