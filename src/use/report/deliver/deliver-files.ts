import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../../ask/sluice-error.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { FolderDelivery } from '../../../tell/delivery/delivery.ts';
import type { Envelope } from '../envelope.ts';
import { makeFolder } from '../../../run/file/owner-only.ts';
import { systemReason } from '../../../run/file/system-error.ts';
import { filesIn, placeReport } from '../place-report.ts';
import { readReportFormat, toPictureFolder, toReportEnding } from '../report-format.ts';
import type { DeliveryWorld, Outgoing, Sent } from './outgoing.ts';

/** Writes a report into a folder, which it creates if needed. Errors: `file-unwritable`, and those of `placeReport`. */
export async function deliverFiles(
  { folder: named, formats: wanted, keep, index }: Omit<FolderDelivery, 'kind'>,
  { report, base }: Outgoing,
  world: DeliveryWorld,
  envelope?: Envelope,
): Promise<Sent> {
  const { root, force, signal } = world;
  const formats = [...new Set(wanted.map((format) => unwrap(readReportFormat(format), 'The format')))];
  const folder = path.resolve(root, named);
  await makeFolder(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new SluiceError(`The folder ${folder} cannot be created: ${systemReason(cause)}.`, {
      code: 'file-unwritable',
      cause,
      hint: 'Check the disk and the permissions, or deliver to another folder.',
    });
  });
  const files = await placeReport(report, { files: filesIn(folder, base, formats), force, envelope }, world);
  if (keep !== undefined)
    for (const format of formats) await sweepOld(folder, report.name, toReportEnding(format), keep);
  if (index) await (await import('./write-index.ts')).writeIndex(folder, report, base, signal);
  return {
    formats,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files,
    missing: [...new Set(files.flatMap(({ missing = [] }) => missing))],
  };
}

/** The date of a slot, as `datedName` writes it. */
const dated = /^-\d{4}-\d\d-\d\d(?:T\d{4}Z)?(?:\.failed)?$/;

/** Deletes the oldest files of a report, with their pictures. Leaves files with other names alone. */
async function sweepOld(folder: string, name: string, ending: string, keep: number): Promise<void> {
  const found = (await readdir(folder))
    .filter((file) => file.startsWith(name) && file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .filter((base) => dated.test(base.slice(name.length)))
    .sort();
  for (const base of found.slice(0, Math.max(0, found.length - keep))) {
    await rm(path.join(folder, base + ending), { force: true });
    if (ending === '.md') await rm(path.join(folder, toPictureFolder(base)), { recursive: true, force: true });
  }
}
