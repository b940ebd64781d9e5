import type { BoundSwitch } from '../plan.ts';
import { bound, type Expression, joined, name, sql, trusted } from './expression.ts';
import type { JoinClause } from './statement.ts';

/** The relation's own name. */
export function switchAlias(cube: { readonly name: string }, dimension: { readonly name: string }): string {
  return `switch: ${cube.name}.${dimension.name}`;
}

/** The value of a switch beside each row. */
export function switchValue({ cube, dimension }: Pick<BoundSwitch, 'cube' | 'dimension'>): Expression {
  return name(switchAlias(cube, dimension), 'value');
}

/** Repeats all rows for each of the values. Binding makes sure that no figure counts a row twice. */
export function switchJoin({ cube, dimension, values }: BoundSwitch): JoinClause {
  const rows = values.map((value) => sql`(${bound({ type: 'text', value })})`);
  return {
    kind: 'INNER',
    source: sql`(SELECT * FROM (VALUES ${joined(rows, ', ')}) AS switched(value))`,
    alias: switchAlias(cube, dimension),
    on: trusted('TRUE'),
  };
}
