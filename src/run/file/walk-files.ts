import { readdir, realpath, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import { GLOBSTAR, Minimatch, type MinimatchOptions } from 'minimatch';
import { brokenLink, isMissing } from './system-error.ts';

// Without optimizations, each part of a parsed pattern stands for the name in the same place.
const options: MinimatchOptions = {
  nonegate: true,
  nocomment: true,
  optimizationLevel: 0,
  windowsPathsNoEscape: platform() === 'win32',
  nocase: ['darwin', 'win32'].includes(platform()),
  nocaseMagicOnly: true,
};

/**
 * The absolute paths of the files that match a pattern, in any order. Follows links to files and folders, so that
 * nothing is left out in silence. `*` and `**` do not match names that begin with a dot; files with such names, which
 * are often incomplete, never match. `isWanted` excludes files by their paths. Throws `file-vanished` for a link to
 * nothing that may lead to matching files, and system errors for folders that cannot be listed.
 */
export async function walkFiles(
  pattern: string,
  folder: string,
  isWanted: (file: string) => boolean = () => true,
): Promise<readonly string[]> {
  const found = new Set<string>();
  // The alternatives of braces may begin in different folders.
  for (const one of new Minimatch(pattern, options).braceExpand())
    for (const file of await walkOne(one, folder, isWanted)) found.add(file);
  return [...found];
}

async function walkOne(
  pattern: string,
  folder: string,
  isWanted: (file: string) => boolean,
): Promise<readonly string[]> {
  const matcher = new Minimatch(pattern, { ...options, nobrace: true });
  const parts = matcher.set[0] ?? [];
  const magic = parts.findIndex((part) => typeof part !== 'string');
  const depth = magic < 0 ? parts.length - 1 : magic;
  const isEndless = parts.includes(GLOBSTAR);
  const base = parts.slice(0, depth).join('/');
  const found: string[] = [];
  const walk = async (place: string, below: string, real: string, above: readonly string[]): Promise<void> => {
    for (const entry of await entriesOf(place)) {
      const { name } = entry;
      const full = path.join(place, name);
      const asked = depth === 0 && below === '' ? name : `${below}/${name}`;
      const isFile = !name.startsWith('.') && matcher.match(asked) && isWanted(full);
      const mayHold = !entry.isFile() && matcher.match(asked, true);
      const kind = entry.isSymbolicLink() && (isFile || mayHold) ? await followLink(full) : entry;
      // A link without an ending may have led to a folder.
      if (kind === undefined && (isFile || !name.includes('.'))) throw await brokenLink(full);
      if (isFile && kind?.isFile()) found.push(full);
      if (!mayHold || !kind?.isDirectory()) continue;
      const target = entry.isSymbolicLink() ? await realpath(full) : path.join(real, name);
      const chain = [...above, real];
      // A link to a folder above it would be followed for ever.
      if (!isEndless || !chain.includes(target)) await walk(full, asked, target, chain);
    }
  };
  const start = path.resolve(folder, base === '' && depth > 0 ? '/' : base);
  await walk(start, base, await realpath(start).catch(() => start), []);
  return found;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** undefined if the link leads nowhere. */
async function followLink(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
