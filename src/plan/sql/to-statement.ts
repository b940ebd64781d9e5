import { invariant } from '../../ask/invariant.ts';
import { addsUpRows, type Cube, isAggregate, isAggregating, isCount, isOfModel, type Measure } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import { conditionExpression } from './condition-expression.ts';
import type { Dialect } from './dialect.ts';
import { allOf, type Expression, joined, name, sql, trusted } from './expression.ts';
import { isAddedOnce, isApart, type Leaf, leafMeasures, overGroups } from './leaf-measures.ts';
import {
  aggregateConditions,
  measureConditions,
  measureExpression,
  measureValue,
  type MemberScope,
  rowIdentity,
  aggregateRows,
} from './member-expression.ts';
import { printSelect, printStatement } from './print-statement.ts';
import { type RollingPart, rollingParts } from './rolling-part.ts';
import { keyColumns, rowConditions, rowsSource } from './rows-source.ts';
import { innerPlan, stageAggregate, windowExpression } from './stage-part.ts';
import type { CommonTable, JoinClause, OrderClause, Select, SelectColumn, Statement } from './statement.ts';
import { toldBeside, totalOf, type Uncounted, uncountedColumn, uncountedOf } from './uncounted.ts';

/**
 * Writes the plan as one statement: a row for each group, with the plan's columns under their keys and in order.
 * `tables`: relations that members read besides the cubes. `further`: columns with the same value in every row, after
 * all others.
 */
export function toStatement(
  plan: Plan,
  dialect: Dialect,
  tables: readonly CommonTable[] = [],
  further: readonly SelectColumn[] = [],
): Statement {
  const uncounted = toldBeside(plan);
  const chosen = toSelect(plan, dialect, uncounted);
  const select = { ...chosen, columns: [...chosen.columns, ...further] };
  return {
    ...printStatement(printSelect(beside(tables, select)), dialect),
    uncounted: uncounted.map(({ what }) => ({ what })),
  };
}

/** Counts all rows of the answer without limit and offset: one row, one column. */
export function toTotalStatement(plan: Plan, dialect: Dialect, tables: readonly CommonTable[] = []): Statement {
  const { limit: _limit, offset: _offset, orderBy: _orderBy, ...whole } = toSelect(plan, dialect, []);
  const count: Select = {
    columns: [{ alias: 'total', expression: trusted('count(*)') }],
    from: { source: sql`(${printSelect(whole)})`, alias: 'answer' },
  };
  return { ...printStatement(printSelect(beside(tables, count)), dialect), uncounted: [] };
}

function beside(tables: readonly CommonTable[], select: Select): Select {
  return tables.length === 0 ? select : { ...select, with: [...tables, ...(select.with ?? [])] };
}

function toSelect(plan: Plan, dialect: Dialect, uncounted: readonly Uncounted[]): Select {
  const scope: MemberScope = {
    model: plan.model,
    dialect,
    zone: plan.zone,
    times: needsParts(plan) ? [] : plan.times,
    root: plan.root,
    multiplied: plan.multiplied,
    statementOf: (inner) => printSelect(toSelect(inner, dialect, [])),
  };
  const select = needsParts(plan) ? composeParts(plan, scope, uncounted) : selectOnce(plan, scope, uncounted);
  return { ...select, orderBy: orderBy(plan, dialect, select), limit: plan.limit, offset: plan.offset };
}

/** A plan that needs one grouping of its rows. */
function selectOnce(plan: Plan, scope: MemberScope, uncounted: readonly Uncounted[]): Select {
  const keys = keyColumns(plan, scope);
  const measures = plan.measures.map(
    ({ cube, measure, column }): SelectColumn => ({
      alias: plan.columns[column]!.key,
      expression: plan.ungrouped ? rowExpression(cube, measure, scope) : measureExpression(cube, measure, scope),
    }),
  );
  const columns = [...keys, ...measures, ...uncounted.map((each) => uncountedColumn(each, scope))];
  const where = rowConditions(plan, scope);
  const having = plan.groupConditions.map((condition) => conditionExpression(condition, scope));
  return {
    columns,
    ...rowsSource(plan, scope, [...columns.map((column) => column.expression), ...where, ...having]),
    where,
    groupBy: plan.ungrouped ? [] : keys.map((_, index) => trusted(String(index + 1))),
    having,
  };
}

/** A measure of a single row in an ungrouped query: 1 for a counted row, otherwise the value to aggregate. */
function rowExpression(cube: Cube, measure: Measure, scope: MemberScope): Expression {
  if (!isAggregate(measure.type)) {
    return measureExpression(cube, measure, {
      ...scope,
      measureAs: (otherCube, other) => rowExpression(otherCube, other, scope),
    });
  }
  const value = measureValue(cube, measure, scope);
  const conditions = aggregateConditions(cube, measure, scope);
  const counts = isCount(measure.type);
  const present = counts && value ? [sql`${value} IS NOT NULL`] : [];
  const result = counts ? trusted('1') : (value ?? trusted('1'));
  const all = [...conditions, ...present];
  return all.length === 0 ? result : sql`CASE WHEN ${allOf(all)} THEN ${result} END`;
}

function orderBy(plan: Plan, { isSize }: Dialect, { columns }: Select): readonly OrderClause[] {
  return plan.order.flatMap(({ column, descending }) => {
    const { key, type } = plan.columns[column]!;
    const measure = plan.measures.find((each) => each.column === column)?.measure;
    const mayBeNaN = type === 'number' && isOfModel(plan.root) && !(measure && isCount(measure.type));
    // The name can be that of several columns inside an expression. A repeated parameter would be another one.
    const value = mayBeNaN ? columns.find(({ alias }) => alias === key)?.expression : undefined;
    const isFixed = value?.parts.every(({ kind }) => kind !== 'parameter');
    return [
      ...(isSize && value && isFixed ? [{ expression: isSize(value), descending: true }] : []),
      { expression: name(key), descending },
    ];
  });
}

/**
 * True if the plan's measures need more than one grouping of the joined rows. A rolling window extends beyond its
 * bucket, and a sum over a cube whose rows a join repeats must count each row once.
 */
export function needsParts(plan: Plan): boolean {
  return (
    !plan.ungrouped &&
    (leafMeasures(plan).some(
      (leaf) => leaf.measure.rollingWindow || isApart(leaf.measure) || isAddedOnce(plan, leaf),
    ) ||
      overGroups(plan).length > 0)
  );
}

/** One grouping per part, joined by their keys. Each part has the columns of what its measures do not count. */
function composeParts(plan: Plan, scope: MemberScope, uncounted: readonly Uncounted[]): Select {
  const parts = toParts(plan, scope, uncounted).map((part, index) => ({ ...part, name: `part_${index + 1}` }));
  // Windows can have other groups than the rest. Without windows, all parts have the same groups.
  const isUneven =
    parts.length > 1 &&
    parts.some((part) => part.leaves.some(({ measure }) => measure.rollingWindow ?? measure.stage?.shifts));
  const keys = keyColumns(plan, scope);
  const keyOf = (upTo: number, key: string): Expression => {
    const sides = parts.slice(0, upTo).map((part) => name(part.name, key));
    return sides.length === 1 ? sides[0]! : sql`coalesce(${joined(sides, ', ')})`;
  };
  const joins = parts.slice(1).map(
    (part, index): JoinClause => ({
      kind: keys.length === 0 ? 'INNER' : 'FULL',
      source: name(part.name),
      alias: part.name,
      on: allOf(keys.map((key) => scope.dialect.same(keyOf(index + 1, key.alias), name(part.name, key.alias)))),
    }),
  );
  const composed: MemberScope = {
    ...scope,
    measureAs: (cube, measure) => {
      for (const part of parts) {
        const leaf = part.leaves.find((candidate) => candidate.measure === measure);
        if (leaf) return isUneven ? presentValue(leaf, part.name) : name(part.name, leaf.alias);
      }
      if (measure.stage)
        return windowExpression({ cube, measure }, plan, keys, (key) => keyOf(parts.length, key), composed);
      return measureExpression(cube, measure, composed);
    },
  };
  const [first] = parts;
  invariant(first, 'a plan with parts has a part');
  return {
    with: isUneven ? parts.map(withPresence) : parts,
    columns: [
      ...keys.map((key) => ({ alias: key.alias, expression: keyOf(parts.length, key.alias) })),
      ...plan.measures.map(({ cube, measure, column }) => ({
        alias: plan.columns[column]!.key,
        expression: composed.measureAs!(cube, measure),
      })),
      ...uncounted.map(({ alias, leaf }) => ({
        alias,
        expression: name(
          parts.find(({ leaves }) => leaves.some(({ measure }) => measure === leaf.measure))!.name,
          alias,
        ),
      })),
    ],
    from: { source: name(first.name), alias: first.name },
    joins,
    // A condition on groups must not remove groups that others are compared with.
    [overGroups(plan).length > 0 ? 'qualify' : 'where']: plan.groupConditions.map((condition) =>
      conditionExpression(condition, composed),
    ),
  };
}

const presence = 'present';

function withPresence({ name: part, select }: RollingPart & { readonly name: string }) {
  return {
    name: part,
    select: { ...select, columns: [...select.columns, { alias: presence, expression: trusted('TRUE') }] },
  };
}

/**
 * The value of a part in a group that it lacks but another part has: counts and sums are 0 before anything is computed
 * from them. A window without rows counts 0, and its sum is that of a bucket whose rows have no value.
 */
function presentValue({ measure, alias }: Leaf, part: string): Expression {
  const value = name(part, alias);
  if (measure.stage) return value;
  const isZero = isCount(measure.type) || measure.emptyIsZero || (measure.type === 'sum' && !measure.rollingWindow);
  return isZero ? sql`CASE WHEN ${name(part, presence)} THEN ${value} ELSE 0 END` : value;
}

/** The leaves by the groupings that they need. */
function sortLeaves(plan: Plan) {
  const leaves = leafMeasures(plan);
  const rolling = leaves.filter((leaf) => leaf.measure.rollingWindow);
  const repeated = leaves.filter((leaf) => !leaf.measure.rollingWindow && isAddedOnce(plan, leaf));
  const apart = leaves.filter(({ measure }) => isApart(measure));
  const plain = leaves.filter((leaf) => ![...rolling, ...repeated, ...apart].includes(leaf));
  return { plain, rolling, repeated, apart };
}

function toParts(plan: Plan, scope: MemberScope, uncounted: readonly Uncounted[]): readonly RollingPart[] {
  const { plain, rolling, repeated, apart } = sortLeaves(plan);
  return [
    ...(plain.length === 0 ? [] : [{ leaves: plain, select: plainPart(plan, plain, scope, uncounted) }]),
    ...groupBy(repeated, (leaf) => leaf.cube.name).map((group) => ({
      leaves: group,
      select: onceARowPart(plan, group[0]!.cube, group, scope),
    })),
    ...rollingParts(plan, rolling, scope, uncounted),
    ...apart.map((leaf) => ({ leaves: [leaf], select: stagePart(plan, leaf, scope, uncounted) })),
  ];
}

/** A measure of finer groups or other times: a complete answer, grouped again. */
function stagePart(plan: Plan, leaf: Leaf, scope: MemberScope, uncounted: readonly Uncounted[]): Select {
  const keys = keyColumns(plan, scope);
  const inner = innerPlan(plan, leaf);
  return {
    columns: [
      ...keys.map(({ alias }) => ({ alias, expression: name('stage', alias) })),
      { alias: leaf.alias, expression: stageAggregate(leaf, scope) },
      ...uncountedOf([leaf], uncounted).map(({ alias }) => ({ alias, expression: totalOf(name('stage', alias)) })),
    ],
    from: { source: sql`(${printSelect(toSelect(inner, scope.dialect, toldBeside(inner)))})`, alias: 'stage' },
    groupBy: keys.map((_, index) => trusted(String(index + 1))),
  };
}

function plainPart(plan: Plan, leaves: readonly Leaf[], scope: MemberScope, uncounted: readonly Uncounted[]): Select {
  const keys = keyColumns(plan, scope);
  const columns = [
    ...keys,
    ...leaves.map((leaf) => ({ alias: leaf.alias, expression: measureExpression(leaf.cube, leaf.measure, scope) })),
    ...uncountedOf(leaves, uncounted).map((each) => uncountedColumn(each, scope)),
  ];
  const where = rowConditions(plan, scope);
  return {
    columns,
    ...rowsSource(plan, scope, [...columns.map((column) => column.expression), ...where]),
    where,
    groupBy: keys.map((_, index) => trusted(String(index + 1))),
  };
}

function groupBy(leaves: readonly Leaf[], key: (leaf: Leaf) => string): readonly (readonly Leaf[])[] {
  return [...Map.groupBy(leaves, key).values()];
}

/** Sums over a cube whose rows the joins repeat: each of its rows counts once in each group. */
function onceARowPart(plan: Plan, cube: Cube, leaves: readonly Leaf[], scope: MemberScope): Select {
  const keys = keyColumns(plan, scope);
  const identity = rowIdentity(cube, scope);
  invariant(identity, `${cube.name} has a primary key, as binding asks for one`);
  const values = leaves.map(
    (leaf, index): SelectColumn => ({
      alias: `value_${index}`,
      expression: measureValue(leaf.cube, leaf.measure, scope) ?? identity,
    }),
  );
  const counted = leaves.map(
    (leaf, index): SelectColumn => ({
      alias: `counted_${index}`,
      expression: allOf([sql`${identity} IS NOT NULL`, ...measureConditions(leaf.cube, leaf.measure, scope)]),
    }),
  );
  const columns = [...keys, { alias: 'identity', expression: identity }, ...values, ...counted];
  const where = rowConditions(plan, scope);
  const rows: Select = {
    distinct: true,
    columns,
    ...rowsSource(plan, scope, [...columns.map((column) => column.expression), ...where]),
    where,
  };
  return {
    columns: [
      ...keys.map((key) => ({ alias: key.alias, expression: name('once', key.alias) })),
      ...leaves.map((leaf, index) => ({
        alias: leaf.alias,
        expression: aggregate(leaf, index, scope),
      })),
    ],
    from: { source: sql`(${printSelect(rows)})`, alias: 'once' },
    groupBy: keys.map((_, index) => trusted(String(index + 1))),
  };
}

function aggregate(leaf: Leaf, index: number, scope: MemberScope) {
  const { measure } = leaf;
  invariant(isAggregating(measure) && addsUpRows(measure.type), 'only what adds up is counted once a row');
  return aggregateRows(measure, name('once', `value_${index}`), [name('once', `counted_${index}`)], scope);
}
