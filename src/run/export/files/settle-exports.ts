import { readdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { quote } from '../../../ask/text.ts';
import { day } from '../../../ask/time/granularity.ts';
import { findExportRecord } from './export-record.ts';
import { readUnitPath } from './list-units.ts';
import { describeGaps, gapsIn } from './window-gaps.ts';

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
    if (!record) continue;
    // A data file gets its name once it is complete and has a manifest.
    const names = (await readdir(root, { recursive: true })).map((name) => name.replaceAll(sep, '/'));
    const units = names.flatMap((name) => {
      const read = readUnitPath(name);
      return read ? [{ ...read, file: join(root, name) }] : [];
    });
    const byWindow = Map.groupBy(units, ({ window: { start, end } }) => `${start} ${end}`);
    for (const revisions of byWindow.values()) {
      const last = Math.max(...revisions.map(({ revision }) => revision));
      for (const { file, revision } of revisions) if (revision < last) replaced.add(file);
    }
    const windows = units.map(({ window }) => window).sort((one, other) => one.start - other.start);
    // The last hours of a range may be left for a later export.
    const missing = gapsIn(record.range, windows).filter(
      ({ start, end }) => end < record.range.end || end - start >= day,
    );
    if (missing.length > 0)
      sentences.push(
        `The export in ${quote(root)} is not complete: it lacks ${describeGaps(missing, record.zone)}. ` +
          'To complete it, run the same `sluice export` again.',
      );
  }
  return { files: files.filter((file) => !replaced.has(file)), sentences };
}
