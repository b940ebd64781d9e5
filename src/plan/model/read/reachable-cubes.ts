import type { Model } from '../model.ts';

/** For each cube, those that joins lead to in either direction by however many steps, and itself. */
export function reachableCubes(model: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map(model.cubes.map((cube) => [cube.name, new Set([cube.name])]));
  for (const cube of model.cubes) {
    for (const join of cube.joins) {
      const here = groups.get(cube.name);
      const there = groups.get(join.cube);
      if (!here || !there || here === there) continue;
      for (const name of there) {
        here.add(name);
        groups.set(name, here);
      }
    }
  }
  return groups;
}
