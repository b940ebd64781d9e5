import { toLocalEdge } from '../../ask/time/zone.ts';
import { isOfModel } from '../model/model.ts';
import type { Condition, OpenRange, Operand, Test, TestValue, TextPlace } from '../plan.ts';
import {
  allOf,
  anyOf,
  bound,
  boundInstant,
  boundText,
  type Expression,
  type Parameter,
  sql,
  trusted,
} from './expression.ts';
import {
  dimensionExpression,
  instantExpression,
  measureConditions,
  measureExpression,
  type MemberScope,
} from './member-expression.ts';

/** A bound condition as SQL that is true for the rows or groups to keep. */
export function conditionExpression(condition: Condition, scope: MemberScope): Expression {
  switch (condition.kind) {
    case 'and':
      return allOf(condition.conditions.map((part) => conditionExpression(part, scope)));
    case 'or':
      return anyOf(condition.conditions.map((part) => conditionExpression(part, scope)));
    case 'test':
      return scope.rowAs?.(condition) ?? testExpression(condition.operand, condition.test, scope);
  }
}

function testExpression(operand: Operand, test: Test, scope: MemberScope): Expression {
  if (test.kind === 'measure-filter') {
    return operand.kind === 'measure'
      ? allOf(measureConditions(operand.cube, operand.measure, scope))
      : trusted('TRUE');
  }
  const value = operandExpression(operand, scope);
  // A text that no value of the column's type has would stop the statement.
  const compared = isOtherText(operand) ? scope.dialect.textOfAny(value) : value;
  switch (test.kind) {
    case 'one-of':
      return anyOf([...oneOf(compared, spellingsOf(operand, test.values), scope), ...isNull(value, test.orNull)]);
    case 'none-of': {
      if (test.values.length === 0) return sql`${value} IS NOT NULL`;
      const none = allOf(noneOf(compared, spellingsOf(operand, test.values), scope));
      return anyOf([none, ...isNull(value, test.orNull)]);
    }
    case 'like':
      return anyOf([
        ...test.texts.map((text) => like(operand, value, text, test.place, scope)),
        ...isNull(value, test.orNull),
      ]);
    case 'not-like': {
      if (test.texts.length === 0) return sql`${value} IS NOT NULL`;
      const none = allOf(test.texts.map((text) => sql`NOT ${like(operand, value, text, test.place, scope)}`));
      return anyOf([none, ...isNull(value, test.orNull)]);
    }
    case 'compare': {
      const holds = sql`${compared} ${trusted(test.operator)} ${bound(toParameter(test.value))}`;
      const isSize = test.operator.startsWith('>') && typeof test.value !== 'string' && isOfModel(operand.cube);
      return isSize && scope.dialect.isSize ? allOf([holds, scope.dialect.isSize(value)]) : holds;
    }
    case 'present':
      return sql`${value} IS NOT NULL`;
    case 'missing':
      return sql`${value} IS NULL`;
    case 'within':
      return anyOf([...test.ranges.map((range) => within(value, range)), ...isNull(value, test.orNull)]);
    case 'outside': {
      const none = allOf(test.ranges.map((range) => outside(value, range)));
      return anyOf([none, ...isNull(value, test.orNull)]);
    }
  }
}

function operandExpression(operand: Operand, scope: MemberScope): Expression {
  if (operand.kind === 'measure') {
    return scope.measureAs
      ? scope.measureAs(operand.cube, operand.measure)
      : measureExpression(operand.cube, operand.measure, scope);
  }
  const { cube, dimension } = operand;
  return dimension.type === 'time'
    ? instantExpression(cube, dimension, scope)
    : dimensionExpression(cube, dimension, scope);
}

function oneOf(value: Expression, values: readonly TestValue[], { dialect }: MemberScope): readonly Expression[] {
  return byType(values).map(([first, ...more]) =>
    more.length === 0 ? sql`${value} = ${bound(first!)}` : sql`${value} IN ${dialect.list([first!, ...more])}`,
  );
}

function noneOf(value: Expression, values: readonly TestValue[], { dialect }: MemberScope): readonly Expression[] {
  return byType(values).map(([first, ...more]) =>
    more.length === 0 ? sql`${value} <> ${bound(first!)}` : sql`${value} NOT IN ${dialect.list([first!, ...more])}`,
  );
}

/**
 * Groups values by type. In a mixed list, a decimal would turn integers into floats, and large integers into other
 * numbers.
 */
function byType(values: readonly TestValue[]): readonly (readonly Parameter[])[] {
  return [...Map.groupBy(values.map(toParameter), ({ type }) => type).values()];
}

function isNull(value: Expression, wanted: boolean): readonly Expression[] {
  return wanted ? [sql`${value} IS NULL`] : [];
}

function like(
  operand: Operand,
  value: Expression,
  text: string,
  place: TextPlace,
  { dialect }: MemberScope,
): Expression {
  const type = operand.kind === 'dimension' ? operand.dimension.type : undefined;
  const written = type === 'string' ? value : dialect.toText(value, type);
  const whole = isOtherText(operand) ? dialect.textOfAny(value) : written;
  if (place === 'pattern') return dialect.matches(whole, boundText(text));
  const literal = text.replace(/[\\%_]/g, '\\$&');
  const pattern = `${place === 'start' ? '' : '%'}${literal}${place === 'end' ? '' : '%'}`;
  return dialect.like(whole, boundText(pattern));
}

/** Whether the model has a dimension of texts whose column may have another type, such as a number or a UUID. */
function isOtherText(operand: Operand): boolean {
  return operand.kind === 'dimension' && operand.dimension.type === 'string' && isOfModel(operand.cube);
}

/** The values, and as engines write them: UUIDs in small letters, times without `T` and empty fractions. */
function spellingsOf(operand: Operand, values: readonly TestValue[]): readonly TestValue[] {
  if (!isOtherText(operand)) return values;
  const spelled = values.flatMap((value) => {
    const text = String(value);
    if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return [value, text.toLowerCase()];
    const [, day, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d*?[1-9])?)\.?0*$/.exec(text) ?? [];
    return day === undefined ? [value] : [value, `${day} ${clock}`];
  });
  return [...new Set(spelled)];
}

/** Compares days by their wall time, and times as they are stored. */
function asStored(instant: Expression, range: OpenRange): readonly [Expression, OpenRange] {
  const { day, stored } = instant;
  if (!day) return [stored ?? instant, range];
  const toEdge = (edge: number | undefined) => (edge === undefined ? undefined : toLocalEdge(edge, day.zone));
  return [stored ?? day.midnight, { start: toEdge(range.start), end: toEdge(range.end) }];
}

/** Ranges are half open: the end is excluded. */
export function within(instant: Expression, times: OpenRange): Expression {
  const [value, range] = asStored(instant, times);
  const ends: Expression[] = [];
  if (range.start !== undefined) ends.push(sql`${value} >= ${boundInstant(range.start)}`);
  if (range.end !== undefined) ends.push(sql`${value} < ${boundInstant(range.end)}`);
  return allOf(ends);
}

function outside(instant: Expression, times: OpenRange): Expression {
  const [value, range] = asStored(instant, times);
  const ends: Expression[] = [];
  if (range.start !== undefined) ends.push(sql`${value} < ${boundInstant(range.start)}`);
  if (range.end !== undefined) ends.push(sql`${value} >= ${boundInstant(range.end)}`);
  return anyOf(ends);
}

function toParameter(value: TestValue): Parameter {
  switch (typeof value) {
    case 'string':
      return { type: 'text', value };
    case 'bigint':
      return { type: 'integer', value };
    case 'boolean':
      return { type: 'boolean', value };
    default:
      return { type: 'decimal', value };
  }
}
