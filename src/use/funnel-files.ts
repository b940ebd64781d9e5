import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readFunnels, type FunnelSource, type ReadFunnel } from '../ask/funnel/read-funnel.ts';
import { errorIssue } from '../ask/outcome.ts';
import { InvalidInputError } from '../ask/sluice-error.ts';
import { showPath } from './show-path.ts';

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

/** Reads funnel files, absolute paths, all together. Error: `InvalidInputError` where one cannot be read. */
export async function openFunnels(files: readonly string[], cwd: string): Promise<readonly ReadFunnel[]> {
  const sources = await Promise.all(files.map(async (file): Promise<FunnelSource> => ({ file: showPath(file, cwd), bytes: await readWhole(file, cwd) })));
  const { builtInModel } = await import('../plan/model/built-in-model.ts');
  return readFunnels(sources, builtInModel.cubes.map((cube) => cube.name));
}

async function readWhole(file: string, cwd: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const shown = showPath(file, cwd);
    const message = code === 'ENOENT' ? `There is no file ${shown}.` : `${shown} cannot be read (${code ?? 'unknown'}).`;
    throw new InvalidInputError(message, [errorIssue('file-unreadable', message)], { hint: 'Correct the path, or see what there is: sluice funnel list' });
  }
}
