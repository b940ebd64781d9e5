import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { StoreSource } from './store-contents.ts';
import type { StoreManifest } from './store-manifest.ts';

/** The folder of the rejected lines of a store, beside it. */
export function rejectedFolder(folder: string): string {
  return path.join(path.dirname(folder), 'rejected', path.basename(folder));
}

/** Removes what the manifest does not name: what a writer left that was stopped halfway. Only for who holds the lock. */
export async function sweepStore(folder: string, manifest: StoreManifest | undefined, sources: readonly StoreSource[]): Promise<void> {
  const segments = new Set(manifest?.segments.map(({ name }) => name));
  const rejected = new Set(sources.flatMap(({ rejectedFile }) => rejectedFile ?? []));
  await removeAll(path.join(folder, 'segments'), (name) => !segments.has(name));
  await removeAll(rejectedFolder(folder), (name) => /\.\w+\.ndjson$/.test(name) && !rejected.has(name));
  await removeAll(folder, (name) => (/^sources-[\w.-]+$/.test(name) && name !== manifest?.ledger) || name.endsWith('.part'));
}

async function removeAll(folder: string, isRubbish: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) if (isRubbish(name)) await rm(path.join(folder, name), { force: true });
}
