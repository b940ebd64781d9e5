import { glob, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BackendError } from '../../../ask/sluice-error.ts';
import { isManifestPath } from '../../export/files/export-manifest.ts';
import { notARegularFile } from './unfit-file.ts';

const eventFile = /\.(ndjson|jsonl|json|csv|tsv|parquet|arrow|arrows|feather)(\.(gz|gzip|zst|zstd))?$/i;

/** What the files are for, and what to type next where there are none. */
export interface FilePurpose {
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

/**
 * The files that paths, patterns and folders name, absolute, each once, in an order that does not depend on the
 * machine. A folder means its data files at any depth; manifests of exports are no data, unless a path names one. A path that exists is taken by its name, even where it looks
 * like a pattern. Errors: `purpose.code` where one of them names nothing, `not-a-regular-file`.
 */
export async function findFiles(patterns: readonly string[], workingDirectory: string, purpose: FilePurpose): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = await filesOf(pattern, workingDirectory);
    if (files.length === 0) {
      throw new BackendError(`There are no ${purpose.what} at ${pattern}.`, { code: purpose.code, hint: purpose.hint });
    }
    for (const file of files.sort(byCodeUnit)) found.add(file);
  }
  return [...found];
}

async function filesOf(pattern: string, workingDirectory: string): Promise<string[]> {
  const path = resolve(workingDirectory, pattern);
  const named = await stat(path).catch(() => undefined);
  if (named?.isDirectory()) return (await filesMatching('**/*', path)).filter((file) => eventFile.test(file) && !isManifestPath(file));
  if (named && !named.isFile()) throw notARegularFile(pattern);
  if (named) return [path];
  return (await filesMatching(pattern, workingDirectory)).filter((file) => !isManifestPath(file));
}

/** Files whose names begin with a dot are never meant: half-written ones are called so. */
async function filesMatching(pattern: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true })) {
    if (entry.isDirectory() || entry.name.startsWith('.')) continue;
    const file = resolve(entry.parentPath, entry.name);
    if (entry.isFile() || (await stat(file).catch(() => undefined))?.isFile()) files.push(file);
  }
  return files;
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
