import { builtInModel } from './built-in-model.ts';
import type { LeftOut, Model } from './model.ts';

/** The built-in cubes as servers have them. What only local engines have is left out, with the way to it. */
export const builtInModelOfServers: Model = {
  cubes: builtInModel.cubes.map((cube) => ({ ...cube, dimensions: cube.dimensions.filter(({ local }) => !local) })),
  leftOut: localOnly(() => false),
};

/** A server's model that says why it lacks what local engines have. */
export function tellLocal(model: Model): Model {
  const has = new Set(model.cubes.flatMap(({ name, dimensions }) => dimensions.map((each) => `${name}.${each.name}`)));
  const cubes = new Set(model.cubes.map(({ name }) => name));
  const missing = localOnly((cube, name) => !cubes.has(cube) || has.has(`${cube}.${name}`));
  return missing.length === 0 ? model : { ...model, leftOut: [...(model.leftOut ?? []), ...missing] };
}

function localOnly(isKnown: (cube: string, dimension: string) => boolean): readonly LeftOut[] {
  return builtInModel.cubes.flatMap((cube) =>
    cube.dimensions
      .filter(({ name, local }) => local && !isKnown(cube.name, name))
      .map(({ name }) => ({
        name: `${cube.name}.${name}`,
        reason: 'Servers do not compute it. Export the events with `sluice export`, then ask them locally.',
      })),
  );
}
