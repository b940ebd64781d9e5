import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../../ask/sluice-error.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Envelope } from '../envelope.ts';
import { filesIn, placeReport } from '../place-report.ts';
import { readReportFormat } from '../report-format.ts';
import type { DeliveryWorld, Outgoing, Sent } from './outgoing.ts';

/**
 * Puts a report into a folder, which is made where there is none. Errors: `file-unwritable`, and those of
 * `placeReport`.
 */
export async function deliverFiles(
  named: string,
  wanted: readonly string[],
  { report, base }: Outgoing,
  { root, force, signal }: DeliveryWorld,
  envelope?: Envelope,
): Promise<Sent> {
  const formats = [...new Set(wanted.map((format) => unwrap(readReportFormat(format), 'The format')))];
  const folder = path.resolve(root, named);
  await mkdir(folder, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new SluiceError(`The folder ${folder} cannot be created (${cause.code ?? 'unknown'}).`, {
      code: 'file-unwritable',
      cause,
      hint: 'Check the permissions of the folder.',
    });
  });
  const files = await placeReport(report, { files: filesIn(folder, base, formats), force, envelope }, signal);
  return {
    formats,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files,
    missing: [...new Set(files.flatMap(({ missing = [] }) => missing))],
  };
}
