import type { Cube, Join } from '../model/model.ts';
import type { BoundJoin } from '../plan.ts';

/**
 * The names of the cubes whose rows a join repeats: somewhere in the tree, a join that leads away from the cube leads
 * to many rows.
 */
export function multipliedCubes(root: Cube, joins: readonly BoundJoin[]): readonly string[] {
  const cubes = [root, ...joins.map((join) => join.to)];
  return cubes.filter((cube) => leadsToMany(cube.name, joins, new Set())).map((cube) => cube.name);
}

function leadsToMany(cube: string, joins: readonly BoundJoin[], passed: Set<BoundJoin>): boolean {
  for (const join of joins) {
    if (passed.has(join) || (join.from.name !== cube && join.to.name !== cube)) continue;
    const forward = join.from.name === cube;
    if (isToMany(join.relationship, forward)) return true;
    passed.add(join);
    if (leadsToMany(forward ? join.to.name : join.from.name, joins, passed)) return true;
  }
  return false;
}

/** True if the joins lead from one row of `from` to many rows of `to`. */
export function leadsFromOneToMany(from: Cube, to: Cube, joins: readonly BoundJoin[]): boolean {
  const walk = (cube: string, passed: readonly BoundJoin[], many: boolean): boolean =>
    cube === to.name
      ? many
      : joins.some((join) => {
          if (passed.includes(join) || (join.from.name !== cube && join.to.name !== cube)) return false;
          const forward = join.from.name === cube;
          const next = forward ? join.to.name : join.from.name;
          return walk(next, [...passed, join], many || isToMany(join.relationship, forward));
        });
  return walk(from.name, [], false);
}

function isToMany(relationship: Join['relationship'], forward: boolean): boolean {
  return forward ? relationship === 'one_to_many' : relationship === 'many_to_one';
}
