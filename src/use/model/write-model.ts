import { cubeOf } from '../../ask/query/member-name.ts';
import { inputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Model } from '../../plan/model/model.ts';

/** Export formats of a model: the platform's `meta` as JSON or YAML, or a TypeScript interface. */
type ModelFormat = 'json' | 'ts' | 'yaml';

export async function writeModel(model: Model, format: ModelFormat): Promise<string> {
  if (format === 'ts') return (await import('../../plan/model/write-model-types.ts')).writeModelTypes(model);
  const { toMeta, writeMeta } = await import('../../plan/model/write-meta.ts');
  if (format === 'json') return writeMeta(model);
  const { stringify } = await import('yaml');
  return stringify(toMeta(model), { aliasDuplicateObjects: false, lineWidth: 0 });
}

/**
 * Returns a model with one cube. The cube is made public, even if listings hide it because its name is outdated. Throws
 * `InvalidInputError` with the nearest name.
 */
export function pickCube(model: Model, name: string): Model {
  const wanted = cubeOf(name);
  const cube = model.cubes.find((each) => each.name.toLowerCase() === wanted.toLowerCase());
  if (cube) return { cubes: [{ ...cube, public: true }] };
  const lost = model.leftOut?.find((each) => each.name.toLowerCase() === wanted.toLowerCase());
  if (lost) {
    throw inputError('left-out', `${quote(wanted)} is left out of the model. ${lost.reason}`);
  }
  const names = model.cubes.filter((each) => each.public).map((each) => each.name);
  throw inputError(
    'unknown-cube',
    `There is no cube ${quote(wanted)}.`,
    didYouMean(wanted, names) ?? `The cubes are ${names.join(', ')}. Show one: \`sluice model ${names[0] ?? ''}\``,
  );
}
