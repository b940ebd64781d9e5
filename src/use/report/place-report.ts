import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { pictureName } from '../../tell/report/report-pictures.ts';
import type { Report } from '../../tell/report/report.ts';
import { makeOutputFolder } from '../../run/file/make-folder.ts';
import type { ReportFormat } from '../../show/format-name.ts';
import type { Envelope } from './envelope.ts';
import type { Printing } from './print-pdf.ts';
import { type RenderedReport, renderReport, toPictureFolder, toReportEnding } from './report-format.ts';

export interface ReportPlace {
  /** Absolute path of the file for each format. */
  readonly files: readonly { readonly format: ReportFormat; readonly path: string }[];
  /** True if a report with failures may replace an older one. */
  readonly force: boolean;
  /** Headers of an email. */
  readonly envelope?: Envelope | undefined;
}

interface PlacedReport {
  readonly path: string;
  /** True if the older report was kept and this one lies beside it. */
  readonly kept: boolean;
  /** Size of the file with its pictures. */
  readonly bytes: number;
  /** See `RenderedReport`. */
  readonly missing?: readonly string[] | undefined;
}

/**
 * Writes a report in all formats. Each file is written atomically, after its pictures. A report with failures does not
 * replace an older file: it is written beside it as `name.failed.md`, and the next good report removes that.
 */
export async function placeReport(
  report: Report,
  { files, force, envelope }: ReportPlace,
  printing: Printing,
): Promise<readonly PlacedReport[]> {
  const { signal } = printing;
  // Render everything first, so that a failure leaves all files unchanged.
  const rendered = [];
  for (const { format, path: wanted } of files) {
    const kept = report.status !== 'good' && !force && (await isThere(wanted));
    const file = kept ? failedPath(wanted) : wanted;
    rendered.push({
      file,
      wanted,
      kept,
      ...(await renderReport(report, format, { base: path.parse(file).name, envelope, printing })),
    });
  }
  for (const { file, wanted, kept, main, beside } of rendered) {
    await placePictures(file, beside, signal);
    await writeFileWhole(file, [main], signal);
    await sweepPictures(
      file,
      beside.map(({ name }) => path.basename(name)),
    );
    if (kept || report.status !== 'good') continue;
    await rm(failedPath(wanted), { force: true });
    await sweepPictures(failedPath(wanted), []);
  }
  return rendered.map(({ file, kept, main, beside, missing }) => ({
    path: file,
    kept,
    missing,
    bytes: [main, ...beside.map(({ contents }) => contents)].reduce(
      (sum, contents) => sum + Buffer.byteLength(contents),
      0,
    ),
  }));
}

function failedPath(file: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.failed${ext}`);
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Paths of a report's formats in a folder. */
export function filesIn(folder: string, name: string, formats: readonly ReportFormat[]): ReportPlace['files'] {
  return formats.map((format) => ({ format, path: path.join(folder, name + toReportEnding(format)) }));
}

/**
 * Writes the pictures of a report beside its file. Pictures of an older report have other names and are kept until it
 * is replaced.
 */
async function placePictures(file: string, pictures: RenderedReport['beside'], signal?: AbortSignal): Promise<void> {
  for (const { name, contents } of pictures) {
    const place = path.join(path.dirname(file), name);
    await makeOutputFolder(path.dirname(place));
    await writeFileWhole(place, [contents], signal);
  }
}

/** Deletes pictures of older reports after a new one replaced them; keeps other files in their folder. */
async function sweepPictures(file: string, kept: readonly string[]): Promise<void> {
  if (!/\.md$/i.test(file)) return;
  const folder = path.join(path.dirname(file), toPictureFolder(path.parse(file).name));
  const found = await readdir(folder).catch(() => []);
  for (const name of found)
    if (pictureName.test(name) && !kept.includes(name)) await rm(path.join(folder, name), { force: true });
  if (kept.length === 0) await rmdir(folder).catch(() => undefined);
}
