import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The files below a folder by path, including hidden ones, with the hash of their bytes. */
export function treeOf(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).sort();
  return new Map(
    files.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(path.join(folder, file)))
        .digest('hex'),
    ]),
  );
}

/** The files that contain events: neither manifests nor hidden files. */
export function dataOf(folder: string): ReadonlyMap<string, string> {
  return new Map(
    [...treeOf(folder)].filter(
      ([file]) => !file.endsWith('.manifest.json') && !file.split('/').some((part) => part.startsWith('.')),
    ),
  );
}
