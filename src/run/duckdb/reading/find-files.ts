import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { BackendError } from '../../../ask/sluice-error.ts';
import { isManifestPath } from '../../export/files/export-manifest.ts';
import { sourceName } from '../../file/source-copy.ts';
import { notARegularFile, refuseAddress } from './unfit-file.ts';
import { noteLook } from '../../looks.ts';

const eventFile = /\.(ndjson|jsonl|json|csv|tsv|parquet|arrow|arrows|feather)(\.(gz|gzip|zst|zstd))?$/i;

/** What the files are for, and what to type next where there are none. */
export interface FilePurpose {
  readonly code: SluiceErrorCode;
  readonly what: string;
  readonly hint: string;
}

/** Fetches the data at an address of the web, and gives the path of a copy. */
export type Download = (address: string) => Promise<string>;

/**
 * The files that paths, patterns and folders name, absolute, each once, in an order that does not depend on the
 * machine. A folder means its data files at any depth; manifests of exports are no data, unless a path names one. A
 * path that exists is taken by its name, even where it looks like a pattern. An address of the web stands for a copy of
 * what is there. A zip archive stands for its members. Errors: `purpose.code` where one of them names nothing,
 * `not-a-regular-file`, `remote-source`, those of `unpackZip` and of `download`.
 */
export async function findFiles(
  patterns: readonly string[],
  workingDirectory: string,
  purpose: FilePurpose,
  download?: Download,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = await Promise.all(
      (await filesOf(pattern, workingDirectory, download)).sort(byCodeUnit).map(membersOf),
    );
    if (files.length === 0) {
      throw new BackendError(`No ${purpose.what} found at ${pattern}.`, { code: purpose.code, hint: purpose.hint });
    }
    for (const file of files.flat()) found.add(file);
  }
  return [...found];
}

/** The members of a zip archive; any other file is itself. */
async function membersOf(file: string): Promise<readonly string[]> {
  if (!/\.zip$/i.test(file)) return [file];
  const { isZipFile, unpackZip } = await import('../../file/unpack-zip.ts');
  return (await isZipFile(file)) ? unpackZip(file, (name) => eventFile.test(name)) : [file];
}

/** The same of absolute patterns, of which any may name nothing. */
export async function matchFiles(patterns: readonly string[], download?: Download): Promise<readonly string[]> {
  const files = (await Promise.all(patterns.map((pattern) => filesOf(pattern, '/', download)))).flat();
  return (await Promise.all(files.map(membersOf))).flat();
}

/**
 * The files of absolute paths, patterns and folders; undefined if one of them is an address, an archive, or a copy of
 * what is no file of its own: only reading tells what these hold.
 */
export async function listFiles(patterns: readonly string[]): Promise<readonly string[] | undefined> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    if (/^[a-z][a-z\d+.-]+:\/\//i.test(pattern)) return undefined;
    const files = (await filesOf(pattern, '/', undefined)).sort(byCodeUnit);
    // The engine refuses a pattern that names nothing.
    if (files.length === 0) return undefined;
    if (files.some((file) => /\.zip$/i.test(file) || sourceName(file) !== file)) return undefined;
    for (const file of files) found.add(file);
  }
  return [...found];
}

async function filesOf(pattern: string, workingDirectory: string, download: Download | undefined): Promise<string[]> {
  if (download && /^https?:\/\//i.test(pattern)) return [await download(pattern)];
  refuseAddress(pattern);
  const path = resolve(workingDirectory, pattern);
  noteLook(path);
  const named = await stat(path).catch(() => undefined);
  if (named?.isDirectory())
    return (await filesMatching('**/*', path)).filter(
      (file) => (eventFile.test(file) || /\.zip$/i.test(file)) && !isManifestPath(file),
    );
  if (named && !named.isFile()) throw notARegularFile(pattern);
  if (named) return [path];
  return (await filesMatching(pattern, workingDirectory)).filter((file) => !isManifestPath(file));
}

/** Files whose names begin with a dot are never meant: half-written ones are called so. */
async function filesMatching(pattern: string, folder: string): Promise<string[]> {
  // No file has such a name, and the matcher refuses it with an error of its own.
  if (pattern.length > 65_536) return [];
  const files: string[] = [];
  const above = dirname(resolve(folder, pattern));
  // A file that is added changes the folder that it is added to, and there may be many of those.
  noteLook(/[*?[{(!]/.test(above) || pattern.includes('**') ? undefined : above);
  // A Node that is too old has no such function, and must be able to say that it is too old.
  const { glob } = await import('node:fs/promises');
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true })) {
    if (entry.isDirectory() || entry.name.startsWith('.')) continue;
    const file = resolve(entry.parentPath, entry.name);
    noteLook(file);
    if (entry.isFile() || (await stat(file).catch(() => undefined))?.isFile()) files.push(file);
  }
  return files;
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
