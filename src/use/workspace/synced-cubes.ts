import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Model } from '../../plan/model/model.ts';
import { type SyncedCube, toSyncedCube } from '../../plan/platform/synced-cube.ts';
import { syncedCubes } from '../../plan/platform/synced-cubes.ts';
import { quoteText } from '../../run/duckdb/engine/sql-text.ts';

/** Holds what `sluice sync` fetched: a folder a list, a file for each project or group. */
export function syncFolder(root: string): string {
  return path.join(root, '.sluice', 'platform');
}

/** The file of a list. Its name tells neither the platform nor the project. */
export function syncFile(root: string, { folder }: SyncedCube, url: string, scope: string): string {
  const name = createHash('sha256').update(`${url}\n${scope}`).digest('hex').slice(0, 16);
  return path.join(syncFolder(root), folder, `${name}.ndjson`);
}

/** The model with the cubes that have files. Cubes of the same name stay as they are. */
export async function withSyncedCubes(model: Model, root: string): Promise<Model> {
  const taken = new Set(model.cubes.map(({ name }) => name));
  const folders = new Set(await readdir(syncFolder(root)).catch(() => []));
  const cubes = syncedCubes
    .filter(({ name, folder }) => folders.has(folder) && !taken.has(name))
    .map((cube) => {
      const folder = path.join(syncFolder(root), cube.folder).replaceAll(/[*?[]/g, '[$&]');
      return toSyncedCube(cube, quoteText(path.join(folder, '*.ndjson')));
    });
  return cubes.length === 0 ? model : { ...model, cubes: [...model.cubes, ...cubes] };
}
