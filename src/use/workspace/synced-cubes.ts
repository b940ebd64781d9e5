import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Model } from '../../plan/model/model.ts';
import { type SyncedCube, toSyncedCube } from '../../plan/platform/synced-cube.ts';
import { syncedCubes } from '../../plan/platform/synced-cubes.ts';
import { quoteText } from '../../run/duckdb/engine/sql-text.ts';

/** The file of a list in the folder of all. Its name tells neither the platform nor the project. */
export function syncFile(synced: string, { folder }: SyncedCube, url: string, scope: string): string {
  const name = createHash('sha256').update(`${url}\n${scope}`).digest('hex').slice(0, 16);
  return path.join(synced, folder, `${name}.ndjson`);
}

/** The model with the cubes that have files. Cubes of the same name stay as they are. */
export async function withSyncedCubes(model: Model, synced: string): Promise<Model> {
  const taken = new Set(model.cubes.map(({ name }) => name));
  const folders = new Set(await readdir(synced).catch(() => []));
  const cubes = syncedCubes
    .filter(({ name, folder }) => folders.has(folder) && !taken.has(name))
    .map((cube) => {
      const folder = path.join(synced, cube.folder).replaceAll(/[*?[]/g, '[$&]');
      return toSyncedCube(cube, quoteText(path.join(folder, '*.ndjson')));
    });
  return cubes.length === 0 ? model : { ...model, cubes: [...model.cubes, ...cubes] };
}
