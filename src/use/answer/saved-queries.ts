import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { definedBy } from '../workspace/analyses.ts';
import { noteLook } from '../../run/looks.ts';

/** A saved query of the workspace, named after its file without extension. */
export interface SavedFile {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
}

/** Lists the query files of a folder by name, without files that define an analysis. A missing folder has none. */
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

/** A hint with the names of the saved queries. */
export function listNames(saved: readonly SavedFile[]): string {
  if (saved.length === 0) return '`sluice init` creates some saved queries.';
  return `Saved queries: ${saved.map(({ name }) => name).join(', ')}.`;
}
