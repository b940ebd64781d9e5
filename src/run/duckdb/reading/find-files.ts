import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { BackendError } from '../../../ask/sluice-error.ts';
import { isManifestPath } from '../../export/files/export-manifest.ts';
import { sourceName } from '../../file/source-copy.ts';
import { brokenLink, isMissing } from '../../file/system-error.ts';
import { notARegularFile, refuseAddress } from './unfit-file.ts';
import { noteLook } from '../../looks.ts';

const eventFile = /\.(ndjson|jsonl|json|csv|tsv|parquet|arrow|arrows|feather)(\.(gz|gzip|zst|zstd))?$/i;

/** The purpose of the files, and a hint if there are none. */
export interface FilePurpose {
  readonly code: SluiceErrorCode;
  readonly what: string;
  readonly hint: string;
}

/** Downloads the data at a web address and returns the path of a copy. */
export type Download = (address: string) => Promise<string>;

/**
 * The files that paths, patterns and folders name, as absolute paths without duplicates, in an order that does not
 * depend on the machine. A file and links to it count once. A folder stands for its data files at any depth. Export
 * manifests are skipped unless a path names one. An existing path is taken literally, even if it looks like a pattern.
 * A web address stands for a downloaded copy, and a zip archive for its members. Errors: `purpose.code` if one of them
 * matches nothing, `not-a-regular-file`, `remote-source`, those of `unpackZip` and of `download`.
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
  return withoutLinks([...found]);
}

/** The first path of each file. */
async function withoutLinks(files: readonly string[]): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const seen = new Set<string>();
  return files.filter((_, index) => {
    const isNew = !seen.has(targets[index]!);
    seen.add(targets[index]!);
    return isNew;
  });
}

/** The members of a zip archive; otherwise the file itself. */
async function membersOf(file: string): Promise<readonly string[]> {
  if (!/\.zip$/i.test(file)) return [file];
  const { isZipFile, unpackZip } = await import('../../file/unpack-zip.ts');
  return (await isZipFile(file)) ? unpackZip(file, (name) => eventFile.test(name)) : [file];
}

/** As `findFiles` for absolute patterns, which may match nothing. */
export async function matchFiles(patterns: readonly string[], download?: Download): Promise<readonly string[]> {
  const files = (await Promise.all(patterns.map((pattern) => filesOf(pattern, '/', download)))).flat();
  return (await Promise.all(files.map(membersOf))).flat();
}

/**
 * The files of absolute paths, patterns and folders; undefined if one is an address, an archive, or a copy of other
 * data, whose contents only reading can show.
 */
export async function listFiles(patterns: readonly string[]): Promise<readonly string[] | undefined> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    if (/^[a-z][a-z\d+.-]+:\/\//i.test(pattern)) return undefined;
    const files = (await filesOf(pattern, '/', undefined)).sort(byCodeUnit);
    // The engine rejects a pattern that matches nothing.
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
  const named = await stat(path).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    const link = await readlink(path).catch(() => undefined);
    if (link !== undefined) throw await brokenLink(path);
    return undefined;
  });
  if (named?.isDirectory())
    return filesMatching(
      '**/*',
      path,
      (file) => (eventFile.test(file) || /\.zip$/i.test(file)) && !isManifestPath(file),
    );
  if (named && !named.isFile()) throw notARegularFile(pattern);
  if (named) return [path];
  return filesMatching(pattern, workingDirectory, (file) => !isManifestPath(file));
}

async function filesMatching(pattern: string, folder: string, isWanted: (file: string) => boolean): Promise<string[]> {
  // No file has such a long name, and the matcher would throw its own error.
  if (pattern.length > 65_536) return [];
  const above = dirname(resolve(folder, pattern));
  // A new file changes the folder that contains it, and the pattern may match many folders.
  noteLook(/[*?[{(!]/.test(above) || pattern.includes('**') ? undefined : above);
  // Loads lazily, because most questions name files.
  const { walkFiles } = await import('../../file/walk-files.ts');
  const files = await walkFiles(pattern, folder, isWanted);
  files.forEach(noteLook);
  return [...files];
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
