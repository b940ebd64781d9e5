import { access, constants, stat } from 'node:fs/promises';
import { analyses, type AnalysisName } from '../../plan/analysis/analyses.ts';
import { withComputedCubes } from '../../plan/analysis/computed-cubes.ts';
import type { Model } from '../../plan/model/model.ts';
import { reachOf } from '../../run/backend.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { type DefinitionOf, openDefinitions } from './definition-files.ts';
import type { FoundDefinitions } from './find-definitions.ts';
import { drawInText } from './refuse.ts';

interface DefinitionSurroundings {
  readonly cwd: string;
  readonly warn: (text: string) => void;
}

/** The parts of an opened model that hold a model. */
interface ModelToJoin {
  readonly model: Model;
  readonly again?: ((signal?: AbortSignal) => Promise<Model | undefined>) | undefined;
}

/**
 * An opened model with the cubes in it that the files of analyses define, which a server may know or not. A file that
 * cannot be used is told, and takes nothing else with it.
 */
export async function joinDefinitions<Opened extends ModelToJoin>(
  opened: Opened,
  all: readonly FoundDefinitions[],
  settings: Settings,
  surroundings: DefinitionSurroundings,
): Promise<Opened> {
  const [{ builtInModel }, { builtInModelOfServers }] = await Promise.all([
    import('../../plan/model/built-in-model.ts'),
    import('../../plan/model/local-dimensions.ts'),
  ]);
  const isLocal = reachOf(settings.backend.value) === 'local';
  // A model of one's own comes first; a server's cube of the name is the definition's.
  const isOwn = settings.model.value !== undefined;
  const own = new Set(isOwn ? opened.model.cubes.map(({ name }) => name.toLowerCase()) : []);
  const joins: ((model: Model, place: 'here' | 'server' | 'silent-server') => Model)[] = [];
  const taken: string[] = [];
  for (const { analysis, files } of all) {
    const found = await readUsable(analysis, files, taken, surroundings);
    for (const { name } of found)
      if (own.has(name))
        surroundings.warn(`The ${analysis} "${name}" cannot be used: the model has a cube with this name.`);
    const definitions = found.filter(({ name }) => !own.has(name));
    taken.push(...definitions.map(({ name }) => name));
    joins.push((model, place) => withComputedCubes(analyses[analysis], model, definitions, place, builtInModel));
  }
  const join = (model: Model) => {
    const place = isLocal ? 'here' : isOwn || model === builtInModelOfServers ? 'silent-server' : 'server';
    return joins.reduce((joined, one) => one(joined, place), model);
  };
  return {
    ...opened,
    model: join(opened.model),
    again:
      opened.again &&
      (async (signal) => {
        const model = await opened.again?.(signal);
        return model && join(model);
      }),
  };
}

async function readUsable<Name extends AnalysisName>(
  analysis: Name,
  found: readonly string[],
  taken: readonly string[],
  { cwd, warn }: DefinitionSurroundings,
): Promise<readonly DefinitionOf<Name>[]> {
  const files: string[] = [];
  for (const file of found) {
    if (await isReadable(file)) files.push(file);
    else warn(`The ${analysis} ${showPath(file, cwd)} cannot be read.`);
  }
  const read = await openDefinitions(analysis, files, cwd, taken);
  for (const { ok, file, issues, source } of read) {
    const [first] = issues.filter(({ severity }) => severity === 'error');
    if (ok) continue;
    const unused = `The ${analysis} ${file} has errors`;
    // Funnels have a command of their own that tells all of it.
    warn(
      analysis === 'funnel'
        ? `${unused}: ${first?.message ?? ''} For all errors, run: sluice ${analysis} check`
        : `${unused}.\n${drawInText(issues, { source, file })}`,
    );
  }
  return read.flatMap((one) => (one.ok ? [one.value] : []));
}

async function isReadable(file: string): Promise<boolean> {
  return stat(file)
    .then((found) => found.isFile() && access(file, constants.R_OK).then(() => true))
    .catch(() => false);
}
