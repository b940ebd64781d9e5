import type { Cube, CubeSource } from './model/model.ts';
import type { Condition } from './plan.ts';

export type ListSource = Extract<CubeSource, { readonly kind: 'list' }>;

/** A cube whose rows are the values of a list. */
export type ListCube = Cube & { readonly source: ListSource };

export function listCube(cube: Cube): ListCube | undefined {
  return cube.source.kind === 'list' ? (cube as ListCube) : undefined;
}

/** The lists whose values a condition tests, each once. */
export function listsIn(condition: Condition): readonly ListCube[] {
  if (condition.kind !== 'test') return [...new Set(condition.conditions.flatMap(listsIn))];
  return [listCube(condition.operand.cube) ?? []].flat();
}

/** All tests within a condition. */
export function testsOf(condition: Condition): readonly Extract<Condition, { readonly kind: 'test' }>[] {
  return condition.kind === 'test' ? [condition] : condition.conditions.flatMap(testsOf);
}

/** The conditions that must all hold, as small as possible. */
export function partsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(partsOf) : [condition];
}

/**
 * Conditions by the list that they test; undefined for none. Conditions on one list hold for a row if one value of its
 * list meets them all. No condition may test two lists.
 */
export function byList(conditions: readonly Condition[]): ReadonlyMap<ListCube | undefined, readonly Condition[]> {
  return Map.groupBy(conditions, (condition) => listsIn(condition)[0]);
}
