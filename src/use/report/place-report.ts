import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeFileWhole } from '../../run/file/write-file.ts';
import type { Report } from '../../tell/report/report.ts';
import type { Envelope } from './envelope.ts';
import { placePictures, sweepPictures } from './place-pictures.ts';
import { renderReport, toReportEnding, type ReportFormat } from './report-format.ts';

export interface ReportPlace {
  /** Absolute path of the file for each format. */
  readonly files: readonly { readonly format: ReportFormat; readonly path: string }[];
  /** Also a report with failures takes the place of an older one. */
  readonly force: boolean;
  /** What stands on a letter. */
  readonly envelope?: Envelope | undefined;
}

export interface PlacedReport {
  readonly path: string;
  /** It stands beside the older one, which stays. */
  readonly kept: boolean;
  /** Of the file and of what lies beside it. */
  readonly bytes: number;
  /** See `RenderedReport`. */
  readonly missing?: readonly string[] | undefined;
}

/**
 * Writes a report in all of its formats. Each file appears whole or not at all, what lies beside it first. A report with failures does
 * not take the place of an older file: it is written as `name.failed.md` beside it; the next good one takes that away.
 */
export async function placeReport(report: Report, { files, force, envelope }: ReportPlace, signal?: AbortSignal): Promise<readonly PlacedReport[]> {
  // A failure of drawing leaves all files as they are.
  const rendered = [];
  for (const { format, path: wanted } of files) {
    const kept = report.status !== 'good' && !force && await isThere(wanted);
    const file = kept ? failedPath(wanted) : wanted;
    rendered.push({ file, wanted, kept, ...(await renderReport(report, format, { base: path.parse(file).name, envelope })) });
  }
  for (const { file, wanted, kept, main, beside } of rendered) {
    await placePictures(file, beside, signal);
    await writeFileWhole(file, [main], signal);
    await sweepPictures(file, beside.map(({ name }) => path.basename(name)));
    if (kept || report.status !== 'good') continue;
    await rm(failedPath(wanted), { force: true });
    await sweepPictures(failedPath(wanted), []);
  }
  return rendered.map(({ file, kept, main, beside, missing }) => ({
    path: file, kept, missing, bytes: [main, ...beside.map(({ contents }) => contents)].reduce((sum, contents) => sum + Buffer.byteLength(contents), 0),
  }));
}

function failedPath(file: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.failed${ext}`);
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then((found) => found.isFile(), () => false);
}

/** Where the formats of a report go in a folder. */
export function filesIn(folder: string, name: string, formats: readonly ReportFormat[]): ReportPlace['files'] {
  return formats.map((format) => ({ format, path: path.join(folder, name + toReportEnding(format)) }));
}
