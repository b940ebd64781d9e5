import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import { bad, errorIssue, type Issue } from '../../ask/outcome.ts';
import { inputError, InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { readNotebook, type ReadNotebook } from '../../tell/notebook/read-notebook.ts';
import { showPath } from '../process/show-path.ts';
import { isThere } from '../../run/file/is-there.ts';
import { systemReason, unlessMissing } from '../../run/file/system-error.ts';

/** A report file. Its name is the file name without extension. */
export interface ReportFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** For people. */
  readonly shown: string;
}

/** Front matter at the start of a report. A file without it is not a report. */
const front = /^\ufeff?---[ \t]*\r?\n/;

/**
 * Lists the reports of a folder, by name: Markdown files with front matter. Empty if the folder does not exist. Throws
 * system errors if it cannot be listed.
 */
export async function listReports(folder: string, cwd: string): Promise<readonly ReportFile[]> {
  const entries = (await unlessMissing(readdir(folder))) ?? [];
  const files = entries
    .filter((file) => /\.md$/i.test(file) && !file.startsWith('.'))
    .sort()
    .map((file) => toReportFile(path.join(folder, file), cwd));
  const begins = await Promise.all(
    files.map((file) =>
      readDefinition(file.path, file.shown).then(
        (bytes) => bytes.toString('utf8'),
        () => '---\n',
      ),
    ),
  );
  return files.filter((_, index) => front.test(begins[index] ?? ''));
}

/** Finds a report by the path of its file, or by its name in the reports folder. Throws `InvalidInputError`. */
export async function findReport(named: string, folder: string, cwd: string): Promise<ReportFile> {
  const given = path.resolve(cwd, named);
  if (await isThere(given)) return toReportFile(given, cwd);
  const reports = await listReports(folder, cwd);
  const found = reports.find(({ name }) => name === named || `${name}.md` === named);
  if (found) return found;
  const names = reports.map(({ name }) => name);
  const unmarked = path.join(folder, `${named.replace(/\.md$/i, '')}.md`);
  if (await isThere(unmarked))
    throw inputError(
      'no-such-report',
      `${showPath(unmarked, cwd)} has no front matter, so it is no report.`,
      `Begin it with three lines: \`---\`, \`title: ${named.replace(/\.md$/i, '')}\`, \`---\`.`,
    );
  throw inputError(
    'no-such-report',
    `There is no report ${quote(named)}.`,
    didYouMean(named, names) ??
      (names.length === 0
        ? `${showPath(folder, cwd)} has no reports. For the file format, run: sluice schema report`
        : `Use one of ${names.join(', ')}.`),
  );
}

function toReportFile(file: string, cwd: string): ReportFile {
  return { name: path.parse(file).name, path: file, shown: showPath(file, cwd) };
}

/** Reads a report file as a notebook, or returns all issues, also if the file cannot be read. */
export async function openReport({ path: file, shown }: ReportFile): Promise<ReadNotebook> {
  let bytes: Buffer;
  try {
    bytes = await readDefinition(file, shown);
  } catch (cause) {
    return { ...bad(unreadable(cause, shown)), source: '', file: shown, locate: () => undefined };
  }
  const decoded = decodeUtf8(bytes, { file: shown });
  if (!decoded.ok) return decoded;
  // Keep a byte order mark, so that writing preserves it.
  const mark =
    bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf && !decoded.value.startsWith('\ufeff') ? '\ufeff' : '';
  return readNotebook(mark + decoded.value, { file: shown });
}

function unreadable(cause: unknown, shown: string): readonly Issue[] {
  if (cause instanceof InvalidInputError) return cause.issues;
  return [
    errorIssue('file-unreadable', `${shown} cannot be read: ${systemReason(cause as NodeJS.ErrnoException)}.`, {
      hint: 'Correct the path, or check the permissions of the file.',
    }),
  ];
}
