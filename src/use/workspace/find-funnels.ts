import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The folders that funnels lie in: the workspace's own, and the one that the platform reads in a repository. */
export function funnelFolders(root: string, own: string): readonly string[] {
  return [own, path.join(root, '.gitlab', 'analytics', 'funnels')];
}

/** The funnel files of the folders, in the folders' order and by name; a folder that is not there has none. */
export async function findFunnels(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.map(async (folder) => {
    const entries = await readdir(folder).catch(() => []);
    return entries.filter((file) => /\.ya?ml$/i.test(file) && !file.startsWith('.')).sort().map((file) => path.join(folder, file));
  }));
  return [...new Set(found.flat())];
}
