import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BackendError } from '../../../ask/sluice-error.ts';
import { makeOwnFolder, writeOwnFile } from '../../../run/file/owner-only.ts';
import { toSafeJson } from '../../../show/text/json-value.ts';
import { type ReportFigures, reportFiguresSchema, toFigures } from '../../../tell/report/report-figures.ts';
import type { Report } from '../../../tell/report/report.ts';
import type { Voice } from '../../process/voice.ts';

/** Keeps the figures of the last run that was written or delivered. The report is there all the same if that fails. */
export async function keepFigures(file: string, report: Report, voice: Voice): Promise<void> {
  try {
    await makeOwnFolder(path.dirname(file));
    await writeOwnFile(file, [toSafeJson(toFigures(report)), '\n']);
  } catch (error) {
    await voice.alert(
      `The figures of this run were not kept: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Undefined if no run was kept. Errors: `file-unreadable`. */
export async function readFigures(file: string): Promise<ReportFigures | undefined> {
  try {
    return reportFiguresSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new BackendError(`${file} cannot be read as the figures of a report.`, {
      code: 'file-unreadable',
      cause,
      hint: 'Check its permissions, or remove it and run the report again.',
    });
  }
}
