import type { TimeRange } from '../../ask/time/range.ts';
import { toLocal } from '../../ask/time/zone.ts';
import { byList, type ListCube, listCube } from '../list-conditions.ts';
import type { BoundTime, Condition, Plan, SubQuery } from '../plan.ts';
import { conditionExpression, within } from './condition-expression.ts';
import { allOf, type Expression, joined, name, sql, trusted } from './expression.ts';
import { type Cube, isPerUser } from '../model/model.ts';
import { filterPart } from './filter-part.ts';
import {
  dimensionExpression,
  expandTemplate,
  instantExpression,
  type MemberScope,
  switchAlias,
  switchJoin,
} from './member-expression.ts';
import { type JoinClause, type Select, type SelectColumn, subQueryAlias } from './statement.ts';
import { touchJoins } from './touch-joins.ts';

/** A column to group by: a dimension or a time bucket. */
export interface KeyColumn extends SelectColumn {
  /** Index into the plan's columns. */
  readonly column: number;
}

/** The plan's dimensions and buckets as expressions over the joined cubes, in the plan's order. */
export function keyColumns(plan: Plan, scope: MemberScope): readonly KeyColumn[] {
  const dimensions = plan.dimensions.map(({ cube, dimension, column }) => ({
    column,
    alias: plan.columns[column]!.key,
    expression: dimensionExpression(cube, dimension, scope),
  }));
  const buckets = plan.times.flatMap((time) => {
    if (time.granularity === undefined || time.column === undefined) return [];
    if (time.bucket) {
      const expression = scope.dialect.toInstant(sql`(${expandTemplate(time.bucket, time.cube, scope)})`);
      return [{ column: time.column, alias: plan.columns[time.column]!.key, expression }];
    }
    const instant = instantExpression(time.cube, time.dimension, scope);
    if (time.shift) {
      const later = { granularity: time.granularity, zone: 'UTC', weekStart: plan.weekStart, range: undefined };
      const expression = scope.dialect.toBucket(shiftedDay(instant, time, plan, scope), later);
      return [{ column: time.column, alias: plan.columns[time.column]!.key, expression }];
    }
    const cut = { granularity: time.granularity, zone: plan.zone, weekStart: plan.weekStart, range: time.range };
    return [
      { column: time.column, alias: plan.columns[time.column]!.key, expression: scope.dialect.toBucket(instant, cut) },
    ];
  });
  return [...dimensions, ...buckets];
}

/** The local day of an instant, moved by its time's shift. */
function shiftedDay(
  instant: Expression,
  { shift }: BoundTime,
  { zone, weekStart }: Plan,
  scope: MemberScope,
): Expression {
  const day = scope.dialect.toBucket(instant, { granularity: 'day', zone, weekStart, range: undefined });
  return shift ? scope.dialect.addUnits(day, shift) : day;
}

function localRange({ start, end }: TimeRange, zone: string): TimeRange {
  return { start: toLocal(start, zone), end: toLocal(end, zone) };
}

/** Conditions on rows: segments, filters on dimensions, and ranges of time dimensions except `rangeless`. */
export function rowConditions(plan: Plan, scope: MemberScope, rangeless?: BoundTime): readonly Expression[] {
  const segments = plan.segments.map(({ cube, segment }) => sql`(${expandTemplate(segment.sql, cube, scope)})`);
  const lower = (condition: Condition) => conditionExpression(condition, scope);
  const isJoined = (list: ListCube) => plan.joins.some(({ to }) => to.name === list.name);
  const filters = [...byList(plan.rowConditions)].flatMap(([list, all]) =>
    list && !isJoined(list) ? scope.dialect.someValue(list.source, list.name, allOf(all.map(lower))) : all.map(lower),
  );
  const times = plan.times.flatMap((time) => {
    if (!time.range || time === rangeless) return [];
    const instant = instantExpression(time.cube, time.dimension, scope);
    if (time.shift) return [within(shiftedDay(instant, time, plan, scope), localRange(time.range, plan.zone))];
    return [within(instant, time.range)];
  });
  return [...times, ...segments, ...filters];
}

/**
 * FROM and JOIN clauses over the plan's cubes. `used`: the expressions that read from them; derived sources compute
 * only the columns named there.
 */
export function rowsSource(
  plan: Plan,
  scope: MemberScope,
  used: readonly Expression[],
): Pick<Select, 'from' | 'joins'> {
  const tables = plan.joins.filter(({ to }) => !listCube(to));
  const conditions = tables.map((join) => expandTemplate(join.join.sql, join.declaredBy, scope));
  // Their keys may be members of any cube, so they are joined last.
  const ofUsers = subQueryJoins(plan, scope, wordsOf(used), ({ dimension }) => isPerUser(dimension));
  const columns = wordsOf([...used, ...conditions, ...ofUsers.map(({ on }) => on)]);
  const ownRows = ({ source: from }: Cube) =>
    from.kind === 'sql' && from.sql.some((part) => part.kind === 'filter')
      ? sql`(${joined(
          from.sql.map((part) =>
            part.kind === 'filter'
              ? filterPart(part.uses, plan, scope)
              : trusted(part.kind === 'text' ? part.text : ''),
          ),
          '',
        )})`
      : scope.dialect.lowerSource(from, columns, plan.project);
  const lists = plan.joins.flatMap(({ to }) => listCube(to) ?? []);
  const source = (cube: Cube) =>
    lists
      .filter((list) => list.source.of === cube.name)
      .reduce((rows, list) => scope.dialect.eachOf(list.source, rows, list.name), ownRows(cube));
  const beside = (cube: Cube) => [
    ...touchJoins(cube, columns, (read) => scope.dialect.lowerSource(cube.source, wordsOf(read), plan.project), scope),
    ...subQueryJoins(plan, scope, columns, (each) => each.cube === cube && !isPerUser(each.dimension)),
  ];
  const joins = tables.flatMap(({ to }, index): readonly JoinClause[] => [
    { kind: 'LEFT', source: source(to), alias: to.name, on: conditions[index]! },
    ...beside(to),
  ]);
  const switches = (plan.switches ?? [])
    .filter(({ cube, dimension }) => columns.has(switchAlias(cube, dimension)))
    .map(switchJoin);
  return {
    from: { source: source(plan.root), alias: plan.root.name },
    joins: [...beside(plan.root), ...joins, ...switches, ...ofUsers],
  };
}

/** Relations for dimensions that are computed from measures, with a row for each of their keys. */
function subQueryJoins(
  plan: Plan,
  scope: MemberScope,
  used: ReadonlySet<string>,
  isWanted: (each: SubQuery) => boolean,
): readonly JoinClause[] {
  const { statementOf } = scope;
  if (!statementOf) return [];
  return (plan.subQueries ?? []).flatMap((each): readonly JoinClause[] => {
    const alias = subQueryAlias(each.cube, each.dimension);
    if (!isWanted(each) || !used.has(alias)) return [];
    // Keys of rows and users have values; groups may have none.
    const isGroup = ({ column }: KeyColumn) => isPerUser(each.dimension) && column > 0;
    const same = keyColumns(each.plan, scope).map((key) =>
      isGroup(key)
        ? scope.dialect.same(key.expression, name(alias, key.alias))
        : sql`${key.expression} = ${name(alias, key.alias)}`,
    );
    return [{ kind: 'LEFT', source: sql`(${statementOf(each.plan)})`, alias, on: allOf(same) }];
  });
}

/** All words of the expressions, a superset of the columns that they read. */
export function wordsOf(expressions: readonly Expression[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const expression of expressions) {
    for (const part of expression.parts) {
      if (part.kind === 'name') words.add(part.name);
      else if (part.kind === 'text') for (const word of part.text.match(/\w+/g) ?? []) words.add(word);
    }
  }
  return words;
}
