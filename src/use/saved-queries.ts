import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { decodeUtf8 } from '../ask/document/decode-utf8.ts';
import { readSavedQuery, type LocatedSavedQuery } from '../ask/query/read-saved-query.ts';
import { bad } from '../ask/outcome.ts';

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

/** Reads a query file. `file` is its name for people. Rejects as reading a file does. */
export async function readSavedFile(absolute: string, file: string): Promise<LocatedSavedQuery> {
  return readSavedText(await readFile(absolute), file);
}

/** Bytes of a query file, or of one on stdin. */
export function readSavedText(bytes: Uint8Array, file: string): LocatedSavedQuery {
  const decoded = decodeUtf8(bytes, { file });
  if (decoded.ok) return readSavedQuery(decoded.value, { file });
  const locate = () => undefined;
  return { ...bad(decoded.issues), source: decoded.source, file, locate, locateInQuery: locate };
}
