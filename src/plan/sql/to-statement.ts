import { isAggregate, isCount } from '../model/measure-kind.ts';
import type { Cube, Measure, UncountedRows } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import { composeParts, needsParts } from './composed-select.ts';
import { conditionExpression } from './condition-expression.ts';
import type { Dialect } from './dialect.ts';
import { allOf, name, sql, trusted, type Expression } from './expression.ts';
import { aggregateConditions, expandTemplate, measureConditions, measureExpression, measureValue, type MemberScope } from './member-expression.ts';
import { printSelect } from './print-select.ts';
import { printStatement } from './print-statement.ts';
import { keyColumns, rowConditions, rowsSource } from './rows-source.ts';
import type { OrderClause, Select, SelectColumn } from './select.ts';
import type { Statement } from './statement.ts';

/** The plan as one statement: a row for each group, the plan's columns under their keys and in their order. */
export function toStatement(plan: Plan, dialect: Dialect): Statement {
  const uncounted = toldBeside(plan);
  const select = toSelect(plan, dialect, uncounted);
  return { ...printStatement(printSelect(select), dialect), uncounted: uncounted.map(({ rows: { what } }) => ({ what })) };
}

/** How many rows the whole answer has, limit and offset aside: one row, one column. */
export function toTotalStatement(plan: Plan, dialect: Dialect): Statement {
  const { limit: _limit, offset: _offset, orderBy: _orderBy, ...whole } = toSelect(plan, dialect, []);
  const count: Select = {
    columns: [{ alias: 'total', expression: trusted('count(*)') }],
    from: { source: sql`(${printSelect(whole)})`, alias: 'answer' },
  };
  return { ...printStatement(printSelect(count), dialect), uncounted: [] };
}

interface Uncounted {
  readonly cube: Cube;
  readonly measure: Measure;
  readonly rows: UncountedRows;
}

/** What the plan's measures leave out of their count; only where rows are grouped from one reading of the source. */
function toldBeside(plan: Plan): readonly Uncounted[] {
  if (plan.ungrouped || needsParts(plan)) return [];
  const told = new Map<string, Uncounted>();
  for (const { cube, measure } of plan.measures) {
    for (const rows of measure.uncounted ?? []) if (!told.has(rows.what)) told.set(rows.what, { cube, measure, rows });
  }
  return [...told.values()];
}

function toSelect(plan: Plan, dialect: Dialect, uncounted: readonly Uncounted[]): Select {
  const scope: MemberScope = { model: plan.model, dialect, root: plan.root };
  const ordered = { orderBy: orderBy(plan), limit: plan.limit, offset: plan.offset };
  if (needsParts(plan)) return { ...composeParts(plan, scope), ...ordered };
  const keys = keyColumns(plan, scope);
  const measures = plan.measures.map(({ cube, measure, column }): SelectColumn => ({
    alias: plan.columns[column]!.key,
    expression: plan.ungrouped ? rowExpression(cube, measure, scope) : measureExpression(cube, measure, scope),
  }));
  const beside = uncounted.map((each): SelectColumn => ({ alias: `uncounted: ${each.rows.what}`, expression: uncountedExpression(each, scope) }));
  const columns = [...keys, ...measures, ...beside];
  const where = rowConditions(plan, scope);
  const having = plan.groupConditions.map((condition) => conditionExpression(condition, scope));
  return {
    columns,
    ...rowsSource(plan, scope, [...columns.map((column) => column.expression), ...where, ...having]),
    where,
    groupBy: plan.ungrouped ? [] : keys.map((_, index) => trusted(String(index + 1))),
    having,
    ...ordered,
  };
}

function uncountedExpression({ cube, measure, rows: { sql: condition, amount } }: Uncounted, scope: MemberScope): Expression {
  const holds = expandTemplate(condition, cube, scope);
  if (amount) return sql`CAST(coalesce(sum(${expandTemplate(amount, cube, scope)}) FILTER (WHERE ${holds}), 0) AS BIGINT)`;
  return sql`count(*) FILTER (WHERE ${allOf([holds, ...measureConditions(cube, measure, scope)])})`;
}

/** A measure of a single row, where nothing is grouped: 1 for a row that counts, else what would be aggregated. */
function rowExpression(cube: Cube, measure: Measure, scope: MemberScope): Expression {
  if (!isAggregate(measure.type)) {
    return measureExpression(cube, measure, { ...scope, measureAs: (otherCube, other) => rowExpression(otherCube, other, scope) });
  }
  const value = measureValue(cube, measure, scope);
  const conditions = aggregateConditions(cube, measure, scope);
  const counts = isCount(measure.type);
  const present = counts && value ? [sql`${value} IS NOT NULL`] : [];
  const result = counts ? trusted('1') : value ?? trusted('1');
  const all = [...conditions, ...present];
  return all.length === 0 ? result : sql`CASE WHEN ${allOf(all)} THEN ${result} END`;
}

function orderBy(plan: Plan): readonly OrderClause[] {
  return plan.order.map(({ column, descending }) => ({ expression: name(plan.columns[column]!.key), descending }));
}
