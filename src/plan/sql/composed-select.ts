import { invariant } from '../../ask/invariant.ts';
import type { Plan } from '../plan.ts';
import { conditionExpression } from './condition-expression.ts';
import { allOf, joined, name, sql, trusted, type Expression } from './expression.ts';
import { measureExpression, type MemberScope } from './member-expression.ts';
import { leafMeasures, type Leaf } from './leaf-measures.ts';
import { onceARowPart } from './once-a-row-part.ts';
import { rollingPart, windowKey } from './rolling-part.ts';
import { keyColumns, rowConditions, rowsSource } from './rows-source.ts';
import type { JoinClause, Select } from './select.ts';

/**
 * Whether the plan's measures cannot all be had from one grouping of the joined rows: a rolling window looks beyond
 * its bucket, and a sum over a cube whose rows a join repeats must count each row once.
 */
export function needsParts(plan: Plan): boolean {
  return !plan.ungrouped && leafMeasures(plan).some((leaf) => leaf.measure.rollingWindow || repeats(plan, leaf));
}

/** Distinct counts and extremes do not mind repeated rows. */
function repeats(plan: Plan, { cube, measure }: Leaf): boolean {
  return plan.multiplied.includes(cube.name) && (measure.type === 'count' || measure.type === 'sum' || measure.type === 'avg');
}

/** One grouping a part, put together by their keys. */
export function composeParts(plan: Plan, scope: MemberScope): Select {
  const leaves = leafMeasures(plan);
  const parts = toParts(plan, leaves, scope).map((select, index) => ({ name: `part_${index + 1}`, select }));
  const keys = keyColumns(plan, scope);
  const keyOf = (upTo: number, key: string): Expression => {
    const sides = parts.slice(0, upTo).map((part) => name(part.name, key));
    return sides.length === 1 ? sides[0]! : sql`coalesce(${joined(sides, ', ')})`;
  };
  const joins = parts.slice(1).map((part, index): JoinClause => ({
    kind: keys.length === 0 ? 'INNER' : 'FULL',
    source: name(part.name),
    alias: part.name,
    on: allOf(keys.map((key) => scope.dialect.same(keyOf(index + 1, key.alias), name(part.name, key.alias)))),
  }));
  const composed: MemberScope = {
    ...scope,
    measureAs: (cube, measure) => {
      const leaf = leaves.find((candidate) => candidate.cube === cube && candidate.measure === measure);
      return leaf ? name(leaf.alias) : measureExpression(cube, measure, composed);
    },
  };
  const [first] = parts;
  invariant(first, 'a plan with parts has a part');
  return {
    with: parts,
    columns: [
      ...keys.map((key) => ({ alias: key.alias, expression: keyOf(parts.length, key.alias) })),
      ...plan.measures.map(({ cube, measure, column }) => ({
        alias: plan.columns[column]!.key,
        expression: whenAbsent(composed.measureAs!(cube, measure), plan.columns[column]!.whenAbsent),
      })),
    ],
    from: { source: name(first.name), alias: first.name },
    joins,
    where: plan.groupConditions.map((condition) => conditionExpression(condition, composed)),
  };
}

/** A group that one part has and another lacks had nothing to count there. */
function whenAbsent(value: Expression, absent: 0 | null): Expression {
  return absent === null ? value : sql`coalesce(${value}, 0)`;
}

function toParts(plan: Plan, leaves: readonly Leaf[], scope: MemberScope): readonly Select[] {
  const rolling = leaves.filter((leaf) => leaf.measure.rollingWindow);
  const repeated = leaves.filter((leaf) => !leaf.measure.rollingWindow && repeats(plan, leaf));
  const plain = leaves.filter((leaf) => !rolling.includes(leaf) && !repeated.includes(leaf));
  return [
    ...(plain.length === 0 ? [] : [plainPart(plan, plain, scope)]),
    ...groupBy(repeated, (leaf) => leaf.cube.name).map((group) => onceARowPart(plan, group[0]!.cube, group, scope)),
    ...groupBy(rolling, (leaf) => windowKey(leaf.measure)).map((group) => rollingPart(plan, group, scope)),
  ];
}

function plainPart(plan: Plan, leaves: readonly Leaf[], scope: MemberScope): Select {
  const keys = keyColumns(plan, scope);
  const columns = [...keys, ...leaves.map((leaf) => ({ alias: leaf.alias, expression: measureExpression(leaf.cube, leaf.measure, scope) }))];
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

