import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { definedBy } from '../workspace/analyses.ts';
import { noteLook } from '../../run/looks.ts';

/** A query file of the workspace. Its name is the file's without its extension. */
export interface SavedFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** The query files of a folder, by name, without those that define an analysis; none if there is no such folder. */
export async function listSavedQueries(folder: string): Promise<readonly SavedFile[]> {
  noteLook(folder);
  const entries = await readdir(folder).catch(() => []);
  const files = entries
    .filter((file) => /\.(ya?ml|json)$/i.test(file) && !file.startsWith('.'))
    .sort()
    .map((file) => ({ name: path.parse(file).name, path: path.join(folder, file) }));
  const defined = await Promise.all(files.map(({ path: file }) => definedBy(file)));
  return files.filter((_, index) => defined[index] === undefined);
}
