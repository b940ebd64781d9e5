import { withParts } from '../../ask/cloneable.ts';
import { invariant } from '../../ask/invariant.ts';
import type { UncountedRows } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import { allOf, type Expression, sql, trusted } from './expression.ts';
import { isAddedOnce, isApart, type Leaf, leafMeasures } from './leaf-measures.ts';
import { expandTemplate, measureConditions, type MemberScope, rowIdentity } from './member-expression.ts';
import { innerPlan } from './stage-part.ts';
import type { SelectColumn } from './statement.ts';
import { windowAxis, windowSpans } from './window-spans.ts';

/** Rows that a leaf of a plan does not count, and the column with their number. */
export interface Uncounted {
  readonly leaf: Leaf;
  readonly what: string;
  readonly alias: string;
  /** undefined: the statement of the leaf's finer groups has the column. */
  readonly rows: UncountedRows | undefined;
}

/**
 * The rows that the plan's measures do not count, each kind once: of the measure that covers the longest time. Not
 * known of windows and sums over rows that joins repeat.
 */
export function toldBeside(plan: Plan): readonly Uncounted[] {
  if (plan.ungrouped) return [];
  const leaves = leafMeasures(withParts(plan, { groupConditions: [] })).filter(
    (leaf) => !isAddedOnce(plan, leaf) && !(leaf.measure.rollingWindow && plan.multiplied.includes(leaf.cube.name)),
  );
  const starts = new Map(leaves.map((leaf) => [leaf, startOf(plan, leaf)]));
  const told = new Map<string, Uncounted>();
  for (const leaf of leaves.toSorted((a, b) => starts.get(a)! - starts.get(b)!))
    for (const each of uncountedBy(plan, leaf)) if (!told.has(each.what)) told.set(each.what, each);
  return [...told.values()];
}

function uncountedBy(plan: Plan, leaf: Leaf): readonly Uncounted[] {
  if (isApart(leaf.measure))
    return toldBeside(innerPlan(plan, leaf)).map((inner) => ({ ...inner, leaf, rows: undefined }));
  return (leaf.measure.uncounted ?? []).map((rows) => {
    const { what } = rows;
    return { leaf, what, alias: `uncounted: ${what}`, rows };
  });
}

/** A number that is the less the earlier the rows of a leaf begin. */
function startOf(plan: Plan, { measure }: Leaf): number {
  if (!measure.rollingWindow) return isApart(measure) ? Number.MAX_VALUE : Number.MAX_VALUE / 2;
  const axis = windowAxis(plan);
  return (axis && windowSpans(plan, axis, measure.rollingWindow)[0]?.from) ?? -Number.MAX_VALUE;
}

/** Those of some leaves. */
export function uncountedOf(leaves: readonly Leaf[], uncounted: readonly Uncounted[]): readonly Uncounted[] {
  return uncounted.filter(({ leaf }) => leaves.some(({ measure }) => measure === leaf.measure));
}

/** The column with the number of rows in each group. */
export function uncountedColumn(uncounted: Uncounted, scope: MemberScope): SelectColumn {
  const { alias, leaf, rows } = uncounted;
  // Joins repeat the row.
  const identity = scope.multiplied?.includes(leaf.cube.name) ? rowIdentity(leaf.cube, scope) : undefined;
  if (rows?.amount) return { alias, expression: totalOf(uncountedInRow(uncounted, scope)) };
  const conditions = conditionsOf(uncounted, scope);
  const expression = identity
    ? sql`count(DISTINCT CASE WHEN ${allOf(conditions)} THEN ${identity} END)`
    : scope.dialect.countRows(conditions);
  return { alias, expression };
}

/** What a row adds to the number. */
export function uncountedInRow(uncounted: Uncounted, scope: MemberScope): Expression {
  const { leaf, rows } = uncounted;
  const added = rows?.amount ? expandTemplate(rows.amount, leaf.cube, scope) : trusted('1');
  return sql`CASE WHEN ${allOf(conditionsOf(uncounted, scope))} THEN ${added} ELSE 0 END`;
}

function conditionsOf({ leaf: { cube, measure }, rows }: Uncounted, scope: MemberScope): readonly Expression[] {
  invariant(rows, 'the statement of finer groups counts their rows');
  const holds = expandTemplate(rows.sql, cube, scope);
  return rows.amount ? [holds] : [holds, ...measureConditions(cube, measure, scope)];
}

/** The sum of a column, 0 without rows. */
export function totalOf(value: Expression): Expression {
  return sql`CAST(coalesce(sum(${value}), 0) AS BIGINT)`;
}
