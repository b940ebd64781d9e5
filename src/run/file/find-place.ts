import type { Stats } from 'node:fs';
import { access, constants, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../ask/sluice-error.ts';

/** What writing to a path means: a regular file, maybe over an older one; a pipe; or a device, which is written as it is. */
export type Place =
  | { readonly kind: 'file'; readonly path: string; readonly older: Stats | undefined }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'device' };

/** Where the bytes for a path go, links followed. Errors: `folder-not-found`, `file-is-folder`, and those of the system. */
export async function findPlace(file: string): Promise<Place> {
  const there = await unlessMissing(stat(file));
  if (!there) return { kind: 'file', path: await newPath(file), older: undefined };
  if (there.isDirectory()) throw new SluiceError(`${file} is a folder.`, { code: 'file-is-folder', hint: 'Name a file in it.' });
  if (there.isFIFO()) return { kind: 'pipe' };
  // A rename would get past a file's own protection.
  await access(file, constants.W_OK);
  return there.isFile() ? { kind: 'file', path: await realpath(file), older: there } : { kind: 'device' };
}

/** The path itself, or what a link there points at; nothing is there yet. */
async function newPath(file: string): Promise<string> {
  const folder = await unlessMissing(realpath(path.dirname(file)));
  if (folder === undefined || !(await stat(folder)).isDirectory()) {
    throw new SluiceError(`There is no folder ${path.dirname(file)} to write ${path.basename(file)} into.`, { code: 'folder-not-found', hint: 'Make it first, or correct the path.' });
  }
  const link = await readlink(file).catch(() => undefined);
  return link === undefined ? path.join(folder, path.basename(file)) : newPath(path.resolve(folder, link));
}

function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
