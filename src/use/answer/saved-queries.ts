import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** A query file of the workspace. Its name is the file's without its extension. */
export interface SavedFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** The query files of a folder, by name; none where there is no such folder. */
export async function listSavedQueries(folder: string): Promise<readonly SavedFile[]> {
  const entries = await readdir(folder).catch(() => []);
  return entries
    .filter((file) => /\.(ya?ml|json)$/i.test(file) && !file.startsWith('.'))
    .sort()
    .map((file) => ({ name: path.parse(file).name, path: path.join(folder, file) }));
}
