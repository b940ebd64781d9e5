import { basename, dirname } from 'node:path';
import { quote } from '../../../ask/text.ts';
import { findExportRecord } from '../../export/files/export-record.ts';
import { listUnits } from '../../export/files/list-units.ts';
import { describeGaps, gapsIn } from '../../export/files/window-gaps.ts';

/**
 * Event files without those that an export has replaced, with a sentence for each export of which windows are missing,
 * because it was interrupted.
 */
export async function settleExports(
  files: readonly string[],
): Promise<{ readonly files: readonly string[]; readonly sentences: readonly string[] }> {
  // A window lies in the folder of its day.
  const folders = new Set(files.map(dirname).filter((folder) => /^\d{4}-\d\d-\d\d$/.test(basename(folder))));
  const replaced = new Set<string>();
  const sentences: string[] = [];
  for (const root of new Set([...folders].map(dirname))) {
    // Loading and verifying report damaged exports.
    const record = await findExportRecord(root).catch(() => undefined);
    const listing = record && (await listUnits(root).catch(() => undefined));
    if (!record || !listing) continue;
    for (const file of listing.leftovers) replaced.add(file);
    const missing = gapsIn(
      record.range,
      listing.units.map(({ window }) => window),
    );
    if (missing.length > 0)
      sentences.push(
        `The export in ${quote(root)} is not complete: it lacks ${describeGaps(missing, record.zone)}. To complete it, run the same \`sluice export\` again.`,
      );
  }
  return { files: files.filter((file) => !replaced.has(file)), sentences };
}
