import { access, constants, stat } from 'node:fs/promises';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import type { Model } from '../../plan/model/model.ts';
import { reachOf } from '../../run/backend.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { openFunnels } from './funnel-files.ts';

export interface FunnelSurroundings {
  readonly cwd: string;
  readonly warn: (text: string) => void;
}

/** The funnels of the files that can be asked. A file that cannot is told, and takes nothing else with it. */
export async function workspaceFunnels(found: readonly string[], { cwd, warn }: FunnelSurroundings): Promise<readonly Funnel[]> {
  const files: string[] = [];
  for (const file of found) {
    if (await isReadable(file)) files.push(file);
    else warn(`The funnel ${showPath(file, cwd)} cannot be read.`);
  }
  const read = await openFunnels(files, cwd);
  for (const { ok, file, issues } of read) {
    const [first] = issues.filter(({ severity }) => severity === 'error');
    if (!ok) warn(`The funnel ${file} cannot be asked: ${first?.message ?? ''} All that is wrong: sluice funnel check`);
  }
  return read.flatMap((one) => (one.ok ? [one.value] : []));
}

/** The parts of an opened model that hold a model. */
export interface ModelToJoin {
  readonly model: Model;
  readonly again?: ((signal?: AbortSignal) => Promise<Model | undefined>) | undefined;
}

/** An opened model with the funnels of these files in it, which a server may know or not. */
export async function joinFunnels<Opened extends ModelToJoin>(opened: Opened, files: readonly string[], settings: Settings, surroundings: FunnelSurroundings): Promise<Opened> {
  const found = await workspaceFunnels(files, surroundings);
  if (found.length === 0) return opened;
  const [{ builtInModel }, { withFunnels }] = await Promise.all([import('../../plan/model/built-in-model.ts'), import('../../plan/funnel-cube.ts')]);
  const isLocal = reachOf(settings.backend.value) === 'local';
  // A model of one's own comes first; a server's cube of the name is the funnel's.
  const isOwn = settings.model.value !== undefined;
  const own = new Set(isOwn ? opened.model.cubes.map(({ name }) => name.toLowerCase()) : []);
  const funnels = found.filter(({ name }) => !own.has(name));
  for (const { name } of found) if (own.has(name)) surroundings.warn(`The funnel "${name}" cannot be asked: the model has a cube of this name.`);
  const join = (model: Model) => withFunnels(model, funnels, isLocal ? 'here' : isOwn || model === builtInModel ? 'silent-server' : 'server', builtInModel);
  return {
    ...opened,
    model: join(opened.model),
    again: opened.again && (async (signal) => {
      const model = await opened.again?.(signal);
      return model && join(model);
    }),
  };
}

async function isReadable(file: string): Promise<boolean> {
  return stat(file).then((found) => found.isFile() && access(file, constants.R_OK).then(() => true)).catch(() => false);
}
