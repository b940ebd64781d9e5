import { rename } from 'node:fs/promises';
import path from 'node:path';
import { keepToOwner, makeOwnFolder, writeOwnFile } from '../../file/owner-only.ts';
import { syncFolder } from '../../file/write-file.ts';
import { type ExportManifest, manifestPathOf, writeExportManifest } from './export-manifest.ts';

/** Where a data file is written before it is committed: hidden, beside its place. */
export function unfinishedPath(file: string): string {
  return path.join(path.dirname(file), `.${path.basename(file)}.part`);
}

/** Makes the folder that a data file is to lie in, to the disk. */
export async function makeUnitFolder(file: string): Promise<void> {
  const folder = path.dirname(file);
  if ((await makeOwnFolder(folder)) !== undefined) await syncFolder(path.dirname(folder));
}

/**
 * Makes a data file that is on the disk under its hidden name part of the export. Its manifest goes first, for nobody
 * looks at a manifest without a file; a file without one would be taken for events of no window. So the rename of the
 * data file is the commit, and what a crash leaves in between is swept up by `listUnits`' caller.
 */
export async function commitUnit(file: string, unfinished: string, manifest: ExportManifest): Promise<void> {
  const folder = path.dirname(file);
  await keepToOwner(unfinished);
  await writeOwnFile(manifestPathOf(file), [writeExportManifest(manifest)]);
  await syncFolder(folder);
  await rename(unfinished, file);
  await syncFolder(folder);
}
