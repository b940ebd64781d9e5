import { userKeyColumn } from '../model/event-fields.ts';
import type { Cube, Dimension, DimensionExpression } from '../model/model.ts';
import { type Expression, name, sql } from './expression.ts';

/** What the name of a relation of touches begins with; the full name of the attributed dimension follows. */
export const touchPrefix = 'touch: ';

/** Columns of these relations beside the user. */
export const touchAt = 'at';
export const touchedValue = 'value';

/**
 * The attributed value of a row, `own` being its own one. A row that has a value is its own last touch. Without a user
 * there is none.
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

/** Empty text is no value. */
export function hasValue(value: Expression, { type }: Dimension): Expression {
  return type === 'string' ? sql`(${value} <> '')` : sql`(${value} IS NOT NULL)`;
}

/** When a row of the cube happened. */
export function timeOf({ name: cube, source }: Cube): Expression {
  return name(cube, source.kind === 'sessions' ? 'start_at' : 'utc_time');
}
