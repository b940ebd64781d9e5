import { invariant } from '../../ask/invariant.ts';
import { addsUpRows, isAggregating } from '../model/measure-kind.ts';
import type { Cube } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import { allOf, name, sql, trusted } from './expression.ts';
import type { Leaf } from './leaf-measures.ts';
import { measureConditions, measureValue, primaryKey, type MemberScope } from './member-expression.ts';
import { printSelect } from './print-select.ts';
import { keyColumns, rowConditions, rowsSource } from './rows-source.ts';
import type { Select, SelectColumn } from './select.ts';

/** Sums over a cube whose rows the joins repeat: each of its rows counts once in each group. */
export function onceARowPart(plan: Plan, cube: Cube, leaves: readonly Leaf[], scope: MemberScope): Select {
  const keys = keyColumns(plan, scope);
  const identity = primaryKey(cube, scope);
  invariant(identity, `${cube.name} has a primary key, as binding asks for one`);
  const values = leaves.map((leaf, index): SelectColumn => ({
    alias: `value_${index}`, expression: measureValue(leaf.cube, leaf.measure, scope) ?? identity,
  }));
  const counted = leaves.map((leaf, index): SelectColumn => ({
    alias: `counted_${index}`, expression: allOf([sql`${identity} IS NOT NULL`, ...measureConditions(leaf.cube, leaf.measure, scope)]),
  }));
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
  return scope.dialect.aggregate(measure, name('once', `value_${index}`), [name('once', `counted_${index}`)]);
}
