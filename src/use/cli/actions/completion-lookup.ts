import { listSavedQueries } from '../../answer/saved-queries.ts';
import { openSettings } from '../../config/open-settings.ts';
import type { Effects } from '../../process/effects.ts';
import { findAllDefinitions } from '../../workspace/analyses.ts';
import { openModel } from '../../workspace/open-model.ts';
import type { Cursor } from './completion-line.ts';
import type { Lookup } from './completion-candidate.ts';

/** Looks up names of the workspace, with the configuration that the line names. */
export function openLookup({ config }: Cursor, { cwd, env }: Effects): Lookup {
  const opened = () => openSettings({ cwd, env, flags: {}, configFile: config, nameOf: (flag) => flag });
  const warn = () => undefined;
  return {
    async model() {
      const { settings, root } = await opened();
      const { withSyncedCubes } = await import('../../workspace/synced-cubes.ts');
      const model = await withSyncedCubes(await openModel(settings.model.value, cwd, warn), settings.synced.value);
      const definitions = await findAllDefinitions(settings, root);
      if (definitions.length === 0) return model;
      const { joinDefinitions } = await import('../../workspace/join-definitions.ts');
      return (await joinDefinitions({ model }, definitions, settings, { cwd, warn })).model;
    },
    saved: async () => (await listSavedQueries((await opened()).settings.queries.value)).map(({ name }) => name),
  };
}
