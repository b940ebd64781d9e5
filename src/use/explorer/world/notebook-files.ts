import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { readDefinition } from '../../../run/file/read-definition.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { quote } from '../../../ask/quote.ts';
import { InvalidInputError, SluiceError } from '../../../ask/sluice-error.ts';
import type { TimeContext } from '../../../ask/time/range.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { readNotebook } from '../../../tell/notebook/read-notebook.ts';
import { refuse, valueOf } from '../../refuse.ts';
import { showPath } from '../../output/show-path.ts';
import type { SavedCell } from '../effects.ts';
import type { OpenedCell, WrittenCell } from '../message.ts';
import type { NotebookFile, OpenWorkspace } from '../state.ts';
import { writeCells } from './notebook-text.ts';
import { readCells } from './read-cells.ts';

export interface NotebookPlace {
  /** The folder of reports, absolute. */
  readonly reports: string;
  readonly cwd: string;
}

/** Writes cells as a report. Nothing that somebody else wrote is replaced. Errors: `InvalidInputError`, `notebook-changed`, `notebook-exists`, those of `writeFileWhole`. */
export async function saveCells(
  cells: readonly SavedCell[], file: NotebookFile | undefined, name: string | undefined, names: OpenWorkspace, place: NotebookPlace, now: number,
): Promise<{ readonly file: NotebookFile; readonly cells: readonly WrittenCell[] }> {
  const target = name === undefined && file ? file.path : await findPlace(name, place, now);
  const isOwn = file?.path === target;
  const before = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(target, place, error);
  });
  const shown = showPath(target, place.cwd);
  if (isOwn && before !== undefined && before !== file.text) throw new SluiceError(`${shown} was changed by somebody else since it was opened.`, { code: 'notebook-changed', hint: 'Save under another name: `:save name`.' });
  if (!isOwn && before !== undefined) throw new SluiceError(`There is already a report ${shown}.`, { code: 'notebook-exists', hint: 'Save under another name: `:save name`.' });
  const title = path.parse(target).name;
  const written = writeCells(cells, file, title, names);
  if (!written.ok) throw refuse(written.issues, 'The notebook', {});
  const { text, frontMatter } = written.value;
  valueOf(readNotebook(text, { file: shown }), 'What would be written', { source: text, file: shown });
  await mkdir(path.dirname(target), { recursive: true });
  await writeFileWhole(target, [text]);
  return { file: { path: target, shown, frontMatter, text }, cells: written.value.cells };
}

/** Reads a report by its name or path. Errors: `InvalidInputError` with every issue drawn. */
export async function openNotebook(name: string, names: OpenWorkspace, place: NotebookPlace, timeIn: (zone?: string) => TimeContext): Promise<{ readonly file: NotebookFile; readonly cells: readonly OpenedCell[] }> {
  const target = await findNotebook(name, place);
  const shown = showPath(target, place.cwd);
  const bytes = await readDefinition(target, shown).catch((error: unknown) => { throw error instanceof SluiceError ? error : unreadable(target, place, error); });
  const text = bytes.toString('utf8');
  const read = readNotebook(text, { file: shown });
  const notebook = valueOf(read, `The report ${shown}`, read);
  const cells = valueOf(readCells(notebook, names, timeIn), `The report ${shown}`);
  return { file: { path: target, shown, frontMatter: notebook.frontMatter.source, text }, cells };
}

async function findNotebook(name: string, { reports, cwd }: NotebookPlace): Promise<string> {
  const candidates = [path.join(reports, `${name}.md`), path.join(reports, name), path.resolve(cwd, name)];
  for (const candidate of candidates) if ((await stat(candidate).catch(() => undefined))?.isFile()) return candidate;
  const message = `There is no report ${quote(name)}.`;
  throw new InvalidInputError(message, [errorIssue('no-such-report', message)], { hint: `Reports lie in ${showPath(reports, cwd)}.` });
}

/** Where a new report goes: under its name, else under that of the day, the first that is free. */
async function findPlace(name: string | undefined, { reports }: NotebookPlace, now: number): Promise<string> {
  if (name !== undefined) {
    const base = name.replace(/\.md$/i, '');
    if (!/^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(base) || base.length > 100) {
      const message = `${quote(name)} is no name of a report.`;
      throw new InvalidInputError(message, [errorIssue('not-a-name', message)], { hint: 'Use letters, digits, blanks, `-`, `_` and dots.' });
    }
    return path.join(reports, `${base}.md`);
  }
  const day = new Date(now).toISOString().slice(0, 10);
  for (let number = 1; ; number += 1) {
    const file = path.join(reports, `notebook-${day}${number === 1 ? '' : `-${number}`}.md`);
    if (!(await stat(file).catch(() => undefined))) return file;
  }
}

function unreadable(file: string, { cwd }: NotebookPlace, cause: unknown): SluiceError {
  return new SluiceError(`${showPath(file, cwd)} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'}).`, { code: 'file-unreadable', cause, hint: 'Look whether it is a file, and whether you may read it.' });
}
