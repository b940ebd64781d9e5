import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { pictureName } from '../../tell/report/report-pictures.ts';
import type { Report } from '../../tell/report/report.ts';
import { makeOutputFolder } from '../../run/file/make-folder.ts';
import type { Envelope } from './envelope.ts';
import {
  type RenderedReport,
  renderReport,
  type ReportFormat,
  toPictureFolder,
  toReportEnding,
} from './report-format.ts';

export interface ReportPlace {
  /** Absolute path of the file for each format. */
  readonly files: readonly { readonly format: ReportFormat; readonly path: string }[];
  /** Also a report with failures takes the place of an older one. */
  readonly force: boolean;
  /** What stands on a letter. */
  readonly envelope?: Envelope | undefined;
}

interface PlacedReport {
  readonly path: string;
  /** It stands beside the older one, which stays. */
  readonly kept: boolean;
  /** Of the file and of what lies beside it. */
  readonly bytes: number;
  /** See `RenderedReport`. */
  readonly missing?: readonly string[] | undefined;
}

/**
 * Writes a report in all of its formats. Each file appears whole or not at all, what lies beside it first. A report
 * with failures does not take the place of an older file: it is written as `name.failed.md` beside it; the next good
 * one takes that away.
 */
export async function placeReport(
  report: Report,
  { files, force, envelope }: ReportPlace,
  signal?: AbortSignal,
): Promise<readonly PlacedReport[]> {
  // A failure of drawing leaves all files as they are.
  const rendered = [];
  for (const { format, path: wanted } of files) {
    const kept = report.status !== 'good' && !force && (await isThere(wanted));
    const file = kept ? failedPath(wanted) : wanted;
    rendered.push({
      file,
      wanted,
      kept,
      ...(await renderReport(report, format, { base: path.parse(file).name, envelope })),
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

/** Where the formats of a report go in a folder. */
export function filesIn(folder: string, name: string, formats: readonly ReportFormat[]): ReportPlace['files'] {
  return formats.map((format) => ({ format, path: path.join(folder, name + toReportEnding(format)) }));
}

/**
 * Writes the pictures of a report beside the place of its file. Those of an older report have other names and stay, as
 * long as it does.
 */
async function placePictures(file: string, pictures: RenderedReport['beside'], signal?: AbortSignal): Promise<void> {
  for (const { name, contents } of pictures) {
    const place = path.join(path.dirname(file), name);
    await makeOutputFolder(path.dirname(place));
    await writeFileWhole(place, [contents], signal);
  }
}

/**
 * Takes away the pictures of older reports, when a new one stands in their place; whatever else lies in their folder
 * stays.
 */
async function sweepPictures(file: string, kept: readonly string[]): Promise<void> {
  if (!/\.md$/i.test(file)) return;
  const folder = path.join(path.dirname(file), toPictureFolder(path.parse(file).name));
  const found = await readdir(folder).catch(() => []);
  for (const name of found)
    if (pictureName.test(name) && !kept.includes(name)) await rm(path.join(folder, name), { force: true });
  if (kept.length === 0) await rmdir(folder).catch(() => undefined);
}
