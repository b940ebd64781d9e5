import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

// The compiler writes declarations of all sources that it reads. Those that no entry point leads to are removed: three
// of four, which every install would unpack.
const types = new URL('../dist/types/', import.meta.url).pathname;
const seen = new Set();
const left = ['index', 'query', 'chart'].map((entry) => path.join(types, 'use', `${entry}.d.ts`));
for (let file = left.pop(); file !== undefined; file = left.pop()) {
  if (seen.has(file)) continue;
  seen.add(file);
  for (const [, target] of (await readFile(file, 'utf8')).matchAll(
    /(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]+)['"]/g,
  ))
    left.push(path.resolve(path.dirname(file), target.replace(/\.tsx?$/, '.d.ts')));
}
for (const name of await readdir(types, { recursive: true })) {
  const file = path.join(types, name);
  if (name.endsWith('.d.ts') && !seen.has(file)) await rm(file);
}
