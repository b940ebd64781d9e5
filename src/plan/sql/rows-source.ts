import type { BoundTime, Plan } from '../plan.ts';
import { conditionExpression, within } from './condition-expression.ts';
import { type Expression, sql } from './expression.ts';
import { dimensionExpression, expandTemplate, type MemberScope } from './member-expression.ts';
import type { JoinClause, Select, SelectColumn } from './statement.ts';

/** A column that groups are made by: a dimension or a bucket of time. */
export interface KeyColumn extends SelectColumn {
  /** Index into the plan's columns. */
  readonly column: number;
}

/** The plan's dimensions and buckets as expressions over the joined cubes, in the plan's order. */
export function keyColumns(plan: Plan, scope: MemberScope): readonly KeyColumn[] {
  const dimensions = plan.dimensions.map(({ cube, dimension, column }) => ({
    column, alias: plan.columns[column]!.key, expression: dimensionExpression(cube, dimension, scope),
  }));
  const buckets = plan.times.flatMap((time) => {
    if (time.granularity === undefined || time.column === undefined) return [];
    const instant = scope.dialect.toInstant(dimensionExpression(time.cube, time.dimension, scope));
    const cut = { granularity: time.granularity, zone: plan.zone, weekStart: plan.weekStart, range: time.range };
    return [{ column: time.column, alias: plan.columns[time.column]!.key, expression: scope.dialect.toBucket(instant, cut) }];
  });
  return [...dimensions, ...buckets];
}

/** What rows stay: segments, filters on dimensions, and the ranges of the time dimensions (but for that of `rangeless`). */
export function rowConditions(plan: Plan, scope: MemberScope, rangeless?: BoundTime): readonly Expression[] {
  const segments = plan.segments.map(({ cube, segment }) => sql`(${expandTemplate(segment.sql, cube, scope)})`);
  const filters = plan.rowConditions.map((condition) => conditionExpression(condition, scope));
  const times = plan.times.flatMap((time) => {
    if (!time.range || time === rangeless) return [];
    const instant = scope.dialect.toInstant(dimensionExpression(time.cube, time.dimension, scope));
    return [within(instant, time.range)];
  });
  return [...times, ...segments, ...filters];
}

/**
 * FROM and JOIN clauses over the plan's cubes. `used` are the expressions that will read from them: derived sources
 * compute only the columns that those name.
 */
export function rowsSource(plan: Plan, scope: MemberScope, used: readonly Expression[]): Pick<Select, 'from' | 'joins'> {
  const conditions = plan.joins.map((join) => expandTemplate(join.join.sql, join.declaredBy, scope));
  const columns = wordsOf([...used, ...conditions]);
  const source = (cube: Plan['root']) => scope.dialect.lowerSource(cube.source, columns, plan.project);
  const joins = plan.joins.map((join, index): JoinClause => ({
    kind: 'LEFT', source: source(join.to), alias: join.to.name, on: conditions[index]!,
  }));
  return { from: { source: source(plan.root), alias: plan.root.name }, joins };
}

/** Every word of the expressions: a superset of the columns that they read. */
function wordsOf(expressions: readonly Expression[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const expression of expressions) {
    for (const part of expression.parts) {
      if (part.kind === 'name') words.add(part.name);
      else if (part.kind === 'text') for (const word of part.text.match(/\w+/g) ?? []) words.add(word);
    }
  }
  return words;
}
