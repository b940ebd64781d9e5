import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BackendError } from '../../../ask/sluice-error.ts';
import { readJson } from '../../../ask/document/parse-exactly.ts';
import { namesUser } from '../../../run/duckdb/store/forget.ts';
import { unlessMissing } from '../../../run/file/system-error.ts';
import { makeOwnFolder, writeOwnFile } from '../../../run/file/owner-only.ts';
import { toSafeJson } from '../../../show/text/json-value.ts';
import { type ReportFigures, reportFiguresSchema, toFigures } from '../../../tell/report/report-figures.ts';
import type { Report } from '../../../tell/report/report.ts';
import { messageOf } from '../../process/report-error.ts';
import type { Voice } from '../../process/voice.ts';

/** Maximum number of runs kept for a report, one for each set of parameters. */
const mostKept = 24;

/**
 * Keeps the figures of a written or delivered run in a folder of the report, replacing those with the same parameters.
 * A failure does not affect the report.
 */
export async function keepFigures(folder: string, report: Report, voice: Voice): Promise<void> {
  try {
    await makeOwnFolder(folder);
    await writeOwnFile(path.join(folder, nameFor(report)), [toSafeJson(toFigures(report)), '\n']);
    const older = (await listKept(folder)).slice(mostKept);
    await Promise.all(older.map((file) => rm(file, { force: true })));
  } catch (error) {
    await voice.alert(`The figures of this run were not kept: ${messageOf(error)}`);
  }
}

/** Files of kept runs, latest first. Throws system errors. */
export async function listKept(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{16}\.json$/.test(name))
      .map(async (name) => {
        const file = path.join(folder, name);
        // Another run may have removed it.
        const told = await stat(file).catch(() => undefined);
        return { file, written: told?.mtimeMs ?? 0 };
      }),
  );
  return found.sort((a, b) => b.written - a.written || (a.file < b.file ? -1 : 1)).map(({ file }) => file);
}

/** The kept run with the parameters of a report, else the latest. Errors: `file-corrupt`. */
export async function readFigures(kept: readonly string[], report: Pick<Report, 'params'>): Promise<ReportFigures> {
  const file = kept.find((one) => path.basename(one) === nameFor(report)) ?? kept[0] ?? '';
  try {
    return reportFiguresSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new BackendError(`${file} cannot be read as the figures of a report.`, {
      code: 'file-corrupt',
      cause,
      hint: 'Check its permissions, or remove it and run the report again.',
    });
  }
}

/**
 * Removes the kept runs of all reports in a folder of run records that name one of the users, and those that are
 * damaged. Throws system errors.
 */
export async function forgetFigures(folder: string, users: readonly string[]): Promise<void> {
  const reports = ((await unlessMissing(readdir(folder))) ?? []).filter((name) => name.endsWith('.figures'));
  for (const report of reports)
    for (const file of await listKept(path.join(folder, report))) {
      const isNamed = (value: unknown): boolean =>
        typeof value === 'object' && value !== null
          ? Object.values(value).some(isNamed)
          : typeof value === 'string' && users.some((user) => namesUser(value, user));
      const run = readJson(await readFile(file, 'utf8'));
      if (run === undefined || isNamed(run)) await rm(file, { force: true });
    }
}

function nameFor({ params }: Pick<Report, 'params'>): string {
  const given = JSON.stringify(params.map(({ name, text }) => [name, text]));
  return `${createHash('sha256').update(given).digest('hex').slice(0, 16)}.json`;
}
