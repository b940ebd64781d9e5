import { invariant } from '../../ask/invariant.ts';
import { isCount } from '../model/measure-kind.ts';
import type { Plan } from '../plan.ts';
import { conditionExpression } from './condition-expression.ts';
import { allOf, joined, name, sql, trusted, type Expression } from './expression.ts';
import { measureExpression, type MemberScope } from './member-expression.ts';
import { leafMeasures, repeats, type Leaf } from './leaf-measures.ts';
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

/** One grouping a part, put together by their keys. */
export function composeParts(plan: Plan, scope: MemberScope): Select {
  const parts = toParts(plan, leafMeasures(plan), scope).map((part, index) => ({ ...part, name: `part_${index + 1}` }));
  // Windows reach beyond the groups of the rest; without them all parts have the same groups.
  const isUneven = parts.length > 1 && parts.some((part) => part.leaves.some((leaf) => leaf.measure.rollingWindow));
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
      for (const part of parts) {
        const leaf = part.leaves.find((candidate) => candidate.measure === measure);
        if (leaf) return isUneven ? presentValue(leaf, part.name) : name(part.name, leaf.alias);
      }
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
    ],
    from: { source: name(first.name), alias: first.name },
    joins,
    where: plan.groupConditions.map((condition) => conditionExpression(condition, composed)),
  };
}

const presence = 'present';

function withPresence({ name: part, select }: Part & { readonly name: string }) {
  return { name: part, select: { ...select, columns: [...select.columns, { alias: presence, expression: trusted('TRUE') }] } };
}

/**
 * In a group that its own part lacks and another has, there was nothing to count or to add: 0, before anything is made
 * of it. A window without rows counts 0 and adds up to nothing, here as where each bucket has its row.
 */
function presentValue({ measure, alias }: Leaf, part: string): Expression {
  const value = name(part, alias);
  const isZero = isCount(measure.type) || (measure.type === 'sum' && !measure.rollingWindow);
  return isZero ? sql`CASE WHEN ${name(part, presence)} THEN ${value} ELSE 0 END` : value;
}

interface Part {
  readonly leaves: readonly Leaf[];
  readonly select: Select;
}

function toParts(plan: Plan, leaves: readonly Leaf[], scope: MemberScope): readonly Part[] {
  const rolling = leaves.filter((leaf) => leaf.measure.rollingWindow);
  const repeated = leaves.filter((leaf) => !leaf.measure.rollingWindow && repeats(plan, leaf));
  const plain = leaves.filter((leaf) => !rolling.includes(leaf) && !repeated.includes(leaf));
  return [
    ...(plain.length === 0 ? [] : [{ leaves: plain, select: plainPart(plan, plain, scope) }]),
    ...groupBy(repeated, (leaf) => leaf.cube.name).map((group) => ({ leaves: group, select: onceARowPart(plan, group[0]!.cube, group, scope) })),
    ...groupBy(rolling, (leaf) => windowKey(leaf.measure)).map((group) => ({ leaves: group, select: rollingPart(plan, group, scope) })),
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
