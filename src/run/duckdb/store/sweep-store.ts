import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { projectionFiles } from '../../store/projection-files.ts';
import type { StoreSource } from '../../store/store-contents.ts';
import { damagedStore, manifestName, readManifest, type StoreManifest } from '../../store/store-manifest.ts';

/** The folder of rejected lines, beside the store. */
export function rejectedFolder(folder: string): string {
  return path.join(path.dirname(folder), 'rejected', path.basename(folder));
}

/** The names that writers give to files. Other files are never removed. */
const ownNames = {
  segment: /^\d{6,}-\w+\.parquet$/,
  projection: /^\d{6,}-\w+-\w+\.(?:parquet|hashes)$/,
  ledger: /^sources-\d+-\w+\.ndjson$/,
  rejected: /\.\w+\.ndjson$/,
  unfinished: /^(?:\.(?:manifest\.json|scratch|sources-\d+-\w+\.ndjson)\.\d+)\.part$/,
  further: /^(?:lock(?:-journal)?|scratch|segments|projections)$/,
} as const;

/** Removes files that the manifest does not name, left by interrupted writers. The caller must hold the lock. */
export async function sweepStore(
  folder: string,
  manifest: StoreManifest | undefined,
  sources: readonly StoreSource[],
): Promise<void> {
  const segments = new Set(manifest?.segments.map(({ name }) => name));
  const projections = new Set((manifest ? projectionFiles(manifest) : []).map(({ name }) => name));
  const rejected = new Set(sources.flatMap(({ rejectedFile }) => rejectedFile ?? []));
  await removeAll(path.join(folder, 'segments'), (name) => ownNames.segment.test(name) && !segments.has(name));
  await removeAll(path.join(folder, 'projections'), (name) => ownNames.projection.test(name) && !projections.has(name));
  await removeAll(rejectedFolder(folder), (name) => ownNames.rejected.test(name) && !rejected.has(name));
  await removeAll(
    folder,
    (name) => (ownNames.ledger.test(name) && name !== manifest?.ledger) || ownNames.unfinished.test(name),
  );
}

/**
 * Throws unless a folder without a manifest is empty, since writers create the manifest first. Errors: `store-foreign`
 * if the folder has other files, `store-damaged` if it was a store.
 */
export async function demandOwnFolder(folder: string): Promise<void> {
  const inSegments = await namesIn(path.join(folder, 'segments'));
  const strange = [
    ...(await namesIn(folder)).filter((name) => !ownNames.unfinished.test(name) && !ownNames.further.test(name)),
    ...inSegments.map((name) => path.join('segments', name)),
  ];
  // Another writer may have created the store meanwhile.
  if (strange[0] === undefined || (await readManifest(folder))) return;
  if (inSegments.some((name) => ownNames.segment.test(name))) throw damagedStore(folder, `${manifestName} is missing`);
  throw new InvalidInputError(
    `${folder} is not a store and contains other files: ${quote(strange[0])}` +
      `${strange.length > 1 ? ` and ${strange.length - 1} more` : ''}.`,
    [],
    {
      code: 'store-foreign',
      hint: 'Specify an empty or new folder, such as a subfolder.',
    },
  );
}

async function removeAll(folder: string, isRubbish: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) if (isRubbish(name)) await rm(path.join(folder, name), { force: true });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
