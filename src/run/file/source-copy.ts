import { mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { markOf } from '../looks.ts';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

// Data from standard input or from a member of an archive is read from a temporary copy, which is named after its
// origin. Copies remain until the process ends, and are reused.

let folder: TemporaryFolder | undefined;
let copies = 0;
const names = new Map<string, string>();
/** The archives and workbooks of sources within them, by the names of both. */
const holders = new Map<string, string>();

/** The name of events that a program passes. */
export const eventsInMemory = 'events in memory';

/**
 * A path for the copy of a source called `name`; keeps its extension. `holder`: the name of the archive or workbook
 * that the source is in.
 */
export function newSourceCopy(name: string, holder?: string): string {
  folder ??= makeTemporaryFolder();
  copies += 1;
  const below = path.join(folder.path, String(copies));
  mkdirSync(below, { mode: 0o700 });
  const copy = path.join(below, path.basename(name));
  nameSource(copy, name);
  if (holder !== undefined) holders.set(name, namedSource(holder));
  return copy;
}

const written = new Set<string>();

/** Tells that sluice wrote the text of a copy, in UTF-8. */
export function noteWritten(copy: string): void {
  written.add(copy);
}

/** True if sluice wrote the text of a copy, so that no declared encoding applies to it. */
export function isWritten(file: string): boolean {
  return written.has(file);
}

/** Names a file after the origin of its data. */
export function nameSource(file: string, name: string): void {
  names.set(file, name);
}

/** Tells that a path named this source itself, and not what it is in. */
export function nameable(name: string): void {
  holders.delete(name);
}

/**
 * The file that a command can name to read the source of this name: the archive or workbook that it is in, or itself.
 */
export function namedSource(name: string): string {
  return holders.get(name) ?? name;
}

/** The name of a file for messages: its path, or the origin of its data. */
export function sourceName(file: string): string {
  return names.get(file) ?? file;
}

/** Remembers what was unpacked: a file that has not changed is unpacked only once. */
export function openUnpacked<T>(): (file: string, unpack: (size: number) => Promise<T>) => Promise<T> {
  const unpacked = new Map<string, Promise<T>>();
  return async (file, unpack) => {
    const stats = await stat(file, { bigint: true });
    const key = `${file} ${markOf(stats)}`;
    const unpacking = unpacked.get(key) ?? unpack(Number(stats.size));
    unpacked.set(key, unpacking);
    unpacking.catch(() => unpacked.delete(key));
    return unpacking;
  };
}
