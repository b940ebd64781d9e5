import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { analysisOfLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { readNotation } from '../../../ask/notation/read-notation.ts';
import { writeNotation } from '../../../ask/notation/write-notation.ts';
import { bad, errorIssue, good, type Outcome, settle } from '../../../ask/outcome.ts';
import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import { InvalidInputError, SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import type { TimeContext } from '../../../ask/time/range.ts';
import { readZone } from '../../../ask/time/zone.ts';
import { readDefinition } from '../../../run/file/read-definition.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { withSeparator, newNotebook, toCell } from '../../../tell/notebook/edit-notebook.ts';
import type { Block, Notebook, QueryCell } from '../../../tell/notebook/notebook.ts';
import { type ParamValues, readParamValues } from '../../../tell/notebook/params.ts';
import { readCell } from '../../../tell/notebook/read-cell.ts';
import { readNotebook } from '../../../tell/notebook/read-notebook.ts';
import { splitMarkdown } from '../../../tell/notebook/split-markdown.ts';
import type { CellToWrite } from '../../../tell/notebook/write-notebook.ts';
import { showPath } from '../../process/show-path.ts';
import { refuse, unwrap } from '../../workspace/refuse.ts';
import { inZone } from '../question/in-zone.ts';
import type { Effect, SavedCell } from '../state/effects.ts';
import type { OpenedCell, WrittenCell } from '../state/message.ts';
import type { Ask, NotebookFile, OpenWorkspace } from '../state/state.ts';

export interface NotebookPlace {
  /** Absolute path of the folder of reports. */
  readonly reports: string;
  readonly cwd: string;
  /** The flags of the data, as a shell takes them. Reports have none, so a new one names them in a comment. */
  readonly dataFlags?: string;
}

/**
 * Writes cells as a report. Never overwrites what others wrote. Errors: `InvalidInputError`, `notebook-changed`,
 * `notebook-exists`, those of `writeFileWhole`.
 */
export async function saveCells(
  cells: readonly SavedCell[],
  { file, name, title }: Pick<Effect & { readonly kind: 'save' }, 'file' | 'name' | 'title'>,
  names: OpenWorkspace,
  place: NotebookPlace,
  now: number,
): Promise<{ readonly file: NotebookFile; readonly cells: readonly WrittenCell[] }> {
  const target = name === undefined && file ? file.path : await findPlace(name, place, now);
  const isOwn = file?.path === target;
  const before = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(target, place, error);
  });
  const shown = showPath(target, place.cwd);
  if (isOwn && before !== undefined && before !== file.text)
    throw new SluiceError(`${shown} was changed by another program since it was opened.`, {
      code: 'notebook-changed',
      hint: 'Save under another name: `:save name`.',
    });
  if (!isOwn && before !== undefined)
    throw new SluiceError(`The report ${shown} already exists.`, {
      code: 'notebook-exists',
      hint: 'Save under another name: `:save name`.',
    });
  // A new name makes a new report, with its own title.
  const frontMatter =
    file && isOwn && title === undefined
      ? file.frontMatter
      : withDataFlags(retitle(file?.frontMatter, title ?? path.parse(target).name), place.dataFlags);
  const written = writeCells(cells, frontMatter, file?.text, names);
  if (!written.ok) throw refuse(written.issues, 'The notebook', {});
  const { text } = written.value;
  unwrap(readNotebook(text, { file: shown }), 'The report to write', { source: text, file: shown });
  await mkdir(path.dirname(target), { recursive: true });
  await writeFileWhole(target, [text]);
  return { file: { path: target, shown, frontMatter, text, zone: file?.zone }, cells: written.value.cells };
}

/** The notebook as saving would write it, and the text of each cell. Error: `InvalidInputError`. */
export function textOf(cells: readonly SavedCell[], file: NotebookFile, names: OpenWorkspace): NotebookText {
  return unwrap(writeCells(cells, file.frontMatter, file.text, names), 'The notebook');
}

/** Reads a report by its name or path. Throws `InvalidInputError` with every issue drawn. */
export async function openNotebook(
  name: string,
  names: OpenWorkspace,
  place: NotebookPlace,
  timeIn: (zone?: string) => TimeContext,
  given: ReadonlyMap<string, string> = new Map(),
): Promise<{ readonly file: NotebookFile; readonly cells: readonly OpenedCell[] }> {
  const target = await findNotebook(name, place);
  const shown = showPath(target, place.cwd);
  const bytes = await readDefinition(target, shown).catch((error: unknown) => {
    throw error instanceof SluiceError ? error : unreadable(target, place, error);
  });
  const text = bytes.toString('utf8');
  const read = readNotebook(text, { file: shown });
  const notebook = unwrap(read, `The report ${shown}`, read);
  const cells = unwrap(readCells(notebook, names, timeIn, given), `The report ${shown}`);
  const { source: frontMatter } = notebook.frontMatter;
  return { file: { path: target, shown, frontMatter, text, zone: zoneOf(notebook) }, cells };
}

async function findNotebook(name: string, { reports, cwd }: NotebookPlace): Promise<string> {
  const candidates = [path.join(reports, `${name}.md`), path.join(reports, name), path.resolve(cwd, name)];
  for (const candidate of candidates) if ((await stat(candidate).catch(() => undefined))?.isFile()) return candidate;
  const message = `There is no report ${quote(name)}.`;
  throw new InvalidInputError(message, [errorIssue('no-such-report', message)], {
    hint: `Reports are in ${showPath(reports, cwd)}.`,
  });
}

/** Path of a new report: its name if given, else the first free name with the date. */
async function findPlace(name: string | undefined, { reports }: NotebookPlace, now: number): Promise<string> {
  if (name !== undefined) {
    const base = name.replace(/\.md$/i, '');
    if (!/^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(base) || base.length > 100) {
      const message = `${quote(name)} is not a valid name for a report.`;
      throw new InvalidInputError(message, [errorIssue('not-a-name', message)], {
        hint: 'Use letters, digits, spaces, `-`, `_` and dots.',
      });
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
  return new SluiceError(
    `${showPath(file, cwd)} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'}).`,
    { code: 'file-unreadable', cause, hint: 'Check that it is a file and that you can read it.' },
  );
}

interface NotebookText {
  readonly frontMatter: string;
  readonly text: string;
  readonly cells: readonly WrittenCell[];
}

/** Writes cells as a notebook. Unchanged parts of the file keep their bytes. Issue: `unsavable-cell`. */
function writeCells(
  cells: readonly SavedCell[],
  frontMatter: string,
  before: string | undefined,
  names: Pick<OpenWorkspace, 'catalog' | 'home' | 'savedQueries'>,
): Outcome<NotebookText> {
  const written: WrittenCell[] = [];
  for (const [index, cell] of cells.entries()) {
    const content = cell.source ?? (cell.ask.kind === 'text' ? cell.ask.source : undefined);
    const block = content === undefined ? writeBlock(cell, names) : content;
    if (block === undefined)
      return bad([
        errorIssue('unsavable-cell', `Cell ${index + 1} cannot be saved: its line has errors.`, {
          hint: 'Correct it, or delete it.',
        }),
      ]);
    const { id, ask, shows, pivot } = cell;
    written.push({ id, ask, shows, pivot, source: block });
  }
  const joined = written.map((cell, index) => ({
    ...cell,
    source: separate(cell.source, written[index + 1]?.source, before),
  }));
  return good({ frontMatter, cells: joined, text: frontMatter + joined.map(({ source }) => source).join('') });
}

/** The front matter with another title; the rest keeps its bytes. */
function retitle(frontMatter: string | undefined, title: string): string {
  const fresh = newNotebook({ title }).frontMatter.source;
  if (frontMatter === undefined || frontMatter === '') return fresh;
  const line = /^title:.*$/m.exec(fresh)?.[0] ?? '';
  // A title of several lines extends over its indented lines.
  const own = /^title:[^\n\r]*(?:\r?\n[ \t]+[^\n\r]*)*/m;
  return own.test(frontMatter)
    ? frontMatter.replace(own, () => line)
    : frontMatter.replace(/^---[ \t]*(\r?\n)/, (fence, end: string) => `${fence}${line}${end}`);
}

const dataComment = '# Run this report with: ';

/**
 * The front matter with a comment that names the flags of its data, in place of an earlier one. Addresses may have
 * secrets, which no report keeps.
 */
function withDataFlags(frontMatter: string, flags = ''): string {
  const [, opening = '', body = ''] = /^(---[ \t]*\r?\n)([^]*)$/.exec(frontMatter) ?? [];
  const others = body.split(/(?<=\n)/).filter((line) => !line.startsWith(dataComment));
  const comment = flags === '' || /[\r\n]|:\/\//.test(flags) ? '' : `${dataComment}${flags}\n`;
  return opening === '' ? frontMatter : opening + comment + others.join('');
}

function writeBlock(
  { ask, shows, pivot, own }: SavedCell,
  { catalog, home, savedQueries }: Pick<OpenWorkspace, 'catalog' | 'home' | 'savedQueries'>,
): string | undefined {
  const show: Partial<Pick<QueryCell, 'show' | 'pivot' | 'title' | 'name' | 'alert' | 'outside'>> = {
    ...(shows === 'chart' && { show: 'chart' }),
    ...(pivot !== undefined && { pivot }),
    ...(own as Pick<QueryCell, 'title' | 'name' | 'alert' | 'outside'> | undefined),
  };
  const write = (cell: CellToWrite) => toCell(cell).source;
  if (ask.kind === 'query') return write({ ...toContent(ask.saved), ...show });
  if (ask.kind === 'text') return ask.source;
  if (savedQueries.some(({ name }) => name === ask.line)) return write({ cell: 'query', from: ask.line, ...show });
  const isRead =
    analysisOfLine(ask.line, catalog) !== undefined ||
    readNotation(ask.line, { members: catalog, defaultCube: home }).ok;
  return isRead ? write({ cell: 'query', query: ask.line, ...show }) : undefined;
}

function toContent({ title, description, query, define, fill, fillWith, chart }: SavedQuery): QueryCell {
  return {
    cell: 'query',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    query: toCanonicalQuery(query),
    ...(define && { define }),
    ...(fill && { fill }),
    ...(fillWith !== undefined && { fillWith }),
    ...(chart !== undefined && { chart }),
  };
}

/** Keeps neighbouring cells of the file as they were, unless both are prose: those would merge into one cell. */
function separate(source: string, next: string | undefined, before: string | undefined): string {
  if (next === undefined) return source;
  const stood = before?.includes(source + next) ?? false;
  return stood && splitMarkdown(source + next, 0).some(({ kind }) => kind === 'cell')
    ? source
    : withSeparator(source, next);
}

/**
 * Reads a notebook as cells with their texts. Parameters have the given values, or their defaults. Blocks that are not
 * independent questions (prose, funnels, usage, checks, overlaid questions) are answered as part of the report.
 */
function readCells(
  { frontMatter, blocks }: Notebook,
  names: Pick<OpenWorkspace, 'catalog' | 'home'>,
  timeIn: (zone?: string) => TimeContext,
  given: ReadonlyMap<string, string>,
): Outcome<readonly OpenedCell[]> {
  const own = zoneOf({ frontMatter });
  const params = readParamValues(frontMatter.params, given, timeIn(own));
  const values: ParamValues = params.ok ? params.value : new Map();
  return settle(
    withoutBlanks(blocks).map(({ block, source }) => ({ ...toOpened(block, values, names, own), source })),
    params.issues.map((issue) => ({ ...issue, severity: 'warning' as const })),
  );
}

/** The time zone of a report, by its canonical name. */
function zoneOf({ frontMatter: { timezone } }: Pick<Notebook, 'frontMatter'>): string | undefined {
  const zone = timezone === undefined ? undefined : readZone(timezone);
  return zone?.ok ? zone.value : undefined;
}

/** Attaches blank lines to the block before them, or to the first one, so that they do not become cells. */
function withoutBlanks(blocks: readonly Block[]): readonly { readonly block: Block; readonly source: string }[] {
  const kept: { readonly block: Block; readonly source: string }[] = [];
  let blank = '';
  for (const block of blocks) {
    const last = kept.at(-1);
    if (block.kind !== 'prose' || block.source.trim() !== '') {
      kept.push({ block, source: blank + block.source });
      blank = '';
    } else if (last) kept[kept.length - 1] = { ...last, source: last.source + block.source };
    else blank += block.source;
  }
  return kept;
}

function toOpened(
  block: Block,
  values: ParamValues,
  names: Pick<OpenWorkspace, 'catalog' | 'home'>,
  zone: string | undefined,
): OpenedCell {
  const carried: OpenedCell = { ask: { kind: 'text', source: block.source }, source: block.source, shows: 'table' };
  if (block.kind === 'prose' || block.cell !== 'query') return carried;
  const read = readCell('query', block.data, values, { members: names.catalog, defaultCube: names.home });
  if (!read.ok || read.value.cell !== 'query') return carried;
  const ask = toAsk(read.value, names, zone);
  const { show, pivot } = read.value;
  const own = ownOf(block.data as Readonly<Record<string, unknown>>, ask?.kind === 'line');
  return ask ? { ask, source: block.source, shows: show === 'chart' ? 'chart' : 'table', pivot, own } : carried;
}

/**
 * Properties of a cell apart from its question, as written: its name and its notifications. For a line also the title,
 * because notation has no title.
 */
function ownOf({ title, name, alert, outside }: Readonly<Record<string, unknown>>, isLine: boolean): OpenedCell['own'] {
  const own = Object.entries({ title: isLine ? title : undefined, name, alert, outside }).filter(
    ([, part]) => part !== undefined,
  );
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** A question without a zone uses the notebook's, as in the report. */
function toAsk(
  cell: QueryCell,
  { catalog, home }: Pick<OpenWorkspace, 'catalog' | 'home'>,
  zone: string | undefined,
): Ask | undefined {
  const { query: own, define, from, range, filters, limit, timezone, title, description, fill, fillWith, chart } = cell;
  const { labels, units } = cell;
  if ([range, filters, limit, timezone, labels, units].some((part) => part !== undefined)) return undefined;
  const further = { title, description, define, fill, fillWith, chart };
  const isPlain = Object.values({ ...further, title: undefined }).every((part) => part === undefined);
  if (from !== undefined)
    return own === undefined && isPlain && zone === undefined ? { kind: 'line', line: from } : undefined;
  if (!own) return undefined;
  if (typeof own === 'string') {
    const line = isPlain ? inZone(own, zone, { catalog, home }) : undefined;
    return line === undefined ? undefined : { kind: 'line', line };
  }
  const query = zone === undefined || own.timezone !== undefined ? own : { ...own, timezone: zone };
  const line = isPlain ? writeNotation(query, { members: catalog, defaultCube: home }) : undefined;
  if (line !== undefined) return { kind: 'line', line };
  const saved = Object.fromEntries(
    Object.entries({ ...further, query: toCanonicalQuery(query) }).filter(([, part]) => part !== undefined),
  );
  return { kind: 'query', saved: saved as unknown as SavedQuery };
}
