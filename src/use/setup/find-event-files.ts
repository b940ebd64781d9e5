import { readdir } from 'node:fs/promises';
import path from 'node:path';

const eventFile = /\.(?:(?:ndjson|jsonl|csv|tsv|parquet)(?:\.(?:gz|zst))?|zip)$/i;

/**
 * What files of events lie in a folder and right below it, as somebody there would write it: a path, or a pattern for
 * several of a kind.
 */
export async function findEventFiles(folder: string): Promise<readonly string[]> {
  const below = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => name)
    .sort();
  const found = await Promise.all(['', ...below].map((name) => suggestionsIn(folder, name)));
  return found.flat().slice(0, 5);
}

async function suggestionsIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  const kinds = new Map<string, string[]>();
  for (const { name } of entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const ending = eventFile.exec(name)?.[0];
    if (ending !== undefined) kinds.set(ending, [...(kinds.get(ending) ?? []), name]);
  }
  // In the name of a folder, a star would be a pattern.
  const isPlain = !/[*?[\]{}!()]/.test(folder);
  return [...kinds].flatMap(([ending, names]) => {
    if (names.length === 1) return [path.posix.join(folder, names[0] ?? '')];
    return isPlain ? [path.posix.join(folder, `*${ending}`)] : [];
  });
}
