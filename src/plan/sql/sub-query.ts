import type { Cube, Dimension } from '../model/model.ts';

/** Columns of the relation that holds a dimension made of measures. */
export const subQueryValue = 'value';

export function subQueryKey(index: number): string {
  return `key_${index}`;
}

/** The relation's own name. */
export function subQueryAlias(cube: Pick<Cube, 'name'>, dimension: Pick<Dimension, 'name'>): string {
  return `sub-query: ${cube.name}.${dimension.name}`;
}
