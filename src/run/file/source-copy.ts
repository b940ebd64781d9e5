import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

// Data that is no file of its own, such as standard input or the member of an archive, is read from a temporary copy,
// and called by where it came from. The copies go with the process: whoever asks again finds them.

let folder: TemporaryFolder | undefined;
let copies = 0;
const names = new Map<string, string>();

/** A path for the copy of a source that people call `name`; its ending stays. */
export function newSourceCopy(name: string): string {
  folder ??= makeTemporaryFolder();
  copies += 1;
  const below = path.join(folder.path, String(copies));
  mkdirSync(below, { mode: 0o700 });
  const copy = path.join(below, path.basename(name));
  nameSource(copy, name);
  return copy;
}

/** Calls a file by where its data came from. */
export function nameSource(file: string, name: string): void {
  names.set(file, name);
}

/** What people call a file: its path, or where its data came from. */
export function sourceName(file: string): string {
  return names.get(file) ?? file;
}
