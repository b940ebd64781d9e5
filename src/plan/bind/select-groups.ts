import type { CanonicalFilter } from '../../ask/query/query.ts';
import type { Value } from '../column.ts';
import { mostGroups, withDerived } from '../groups.ts';
import type { BoundDimension, Condition, Plan, Test } from '../plan.ts';
import { comparesGroups } from '../sql/stage-part.ts';

/**
 * Adds conditions that rule out most groups whose dimension values are not among `valuesOf` (by column key). The caller
 * must still drop the other groups from the answer.
 */
export function onlyGroups(plan: Plan, valuesOf: (key: string) => readonly Value[]): Plan {
  // An analysis computes its rows from events, so a condition on rows would not select groups.
  if (plan.computed || comparesGroups(plan)) return plan;
  const rowConditions: Condition[] = [...plan.rowConditions];
  const filters: CanonicalFilter[] = [...(plan.query.filters ?? [])];
  for (const bound of plan.dimensions) {
    const { key = '', member = '', type } = plan.columns[bound.column] ?? {};
    const listed = valuesOf(key);
    if (type !== 'string' || bound.dimension.type !== 'string' || listed.length > mostGroups) continue;
    const values = listed.filter((value) => typeof value === 'string');
    const orNull = listed.includes(null);
    rowConditions.push({ ...testOf(bound, { kind: 'one-of', values, orNull }), selects: true });
    const wired: CanonicalFilter[] = [
      ...(values.length > 0 ? [{ member, operator: 'equals' as const, values }] : []),
      ...(orNull ? [{ member, operator: 'notSet' as const }] : []),
    ];
    filters.push(wired.length === 1 && wired[0] ? wired[0] : { or: wired });
  }
  const narrowed = { ...plan, query: { ...plan.query, filters }, rowConditions };
  return withDerived(narrowed, (inner) => onlyGroups(inner, valuesOf));
}

/** The plan without the rows of these groups. A group is a list with one value for each dimension. */
export function exceptGroups(
  plan: Plan,
  dimensions: readonly (BoundDimension & { readonly member: string })[],
  groups: readonly (readonly Value[])[],
): Plan {
  if (groups.length === 0) return plan;
  const parts =
    dimensions.length === 1
      ? [
          exceptValues(
            dimensions[0]!,
            groups.map(([value]) => value ?? null),
          ),
        ]
      : groups.map((values) => {
          const each = dimensions.map((bound, index) => exceptValues(bound, [values[index] ?? null]));
          return {
            condition: { kind: 'or' as const, conditions: each.map(({ condition }) => condition) },
            filter: { or: each.map(({ filter }) => filter) },
          };
        });
  const excepting = (inner: Plan): Plan =>
    withDerived(
      {
        ...inner,
        query: { ...inner.query, filters: [...(inner.query.filters ?? []), ...parts.map(({ filter }) => filter)] },
        rowConditions: [
          ...inner.rowConditions,
          ...parts.map(({ condition }) => ({ ...condition, selects: true as const })),
        ],
      },
      excepting,
    );
  return excepting(plan);
}

function exceptValues(
  bound: BoundDimension & { readonly member: string },
  listed: readonly Value[],
): { readonly condition: Condition; readonly filter: CanonicalFilter } {
  const { member } = bound;
  const values = listed.filter((value) => value !== null);
  const isSet = listed.includes(null);
  const set: CanonicalFilter = { member, operator: 'set' };
  if (values.length === 0) return { condition: testOf(bound, { kind: 'present' }), filter: set };
  const others: CanonicalFilter = { member, operator: 'notEquals', values: values.map(String) };
  return {
    condition: testOf(bound, { kind: 'none-of', values, orNull: !isSet }),
    filter: isSet ? { and: [others, set] } : others,
  };
}

function testOf({ cube, dimension }: BoundDimension, test: Test): Condition {
  return { kind: 'test', operand: { kind: 'dimension', cube, dimension }, test };
}
