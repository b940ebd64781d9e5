import { rename } from 'node:fs/promises';
import path from 'node:path';
import { keepToOwner, makeOwnFolder, writeOwnFile } from '../../file/owner-only.ts';
import { syncFolder } from '../../file/write-file.ts';
import { type ExportManifest, manifestPathOf, writeExportManifest } from './export-manifest.ts';

/** The hidden path of a data file, beside its final path, before it is committed. */
export function unfinishedPath(file: string): string {
  return path.join(path.dirname(file), `.${path.basename(file)}.part`);
}

/** Creates the folder of a data file and syncs it to disk. */
export async function makeUnitFolder(file: string): Promise<void> {
  const folder = path.dirname(file);
  if ((await makeOwnFolder(folder)) !== undefined) await syncFolder(path.dirname(folder));
}

/**
 * Commits a data file that is on disk under its hidden name. The manifest is written first: a manifest without a file
 * is ignored, but a file without a manifest would look like events of no window. The rename of the data file is
 * therefore the commit. The caller of `listUnits` removes the rest of a crash.
 */
export async function commitUnit(file: string, unfinished: string, manifest: ExportManifest): Promise<void> {
  const folder = path.dirname(file);
  await keepToOwner(unfinished);
  await writeOwnFile(manifestPathOf(file), [writeExportManifest(manifest)]);
  await syncFolder(folder);
  await rename(unfinished, file);
  await syncFolder(folder);
}
