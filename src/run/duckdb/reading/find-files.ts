import { statSync } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { BackendError } from '../../../ask/sluice-error.ts';
import { plural, quote } from '../../../ask/text.ts';
import { isManifestPath } from '../../export/files/export-manifest.ts';
import { sourceName } from '../../file/source-copy.ts';
import type { Sheet } from '../../file/unpack-workbook.ts';
import { brokenLink, isMissing } from '../../file/system-error.ts';
import {
  type DatabasePath,
  databaseAt,
  filesOfDatabase,
  logOfDatabase,
  tableOfCopy,
} from './database/database-path.ts';
import { notARegularFile, refuseAddress } from './formats/unfit-file.ts';
import { noteLook, placeOf } from '../../looks.ts';

/** Compression formats that sluice cannot read count too, because such files are refused by name. */
const packing = /\.(gz|gzip|zst|zstd|bz2|xz|lz4|lzma|br|sz|snappy|7z|rar)$/i;
const eventFile = /\.(ndjson|jsonl|json|csv|tsv|parquet|arrow|arrows|feather)$/i;
const workbookName = /\.(?:xlsx|xlsm|ods)$/i;
/** Files that hold others, by their names. */
const isContainer = (file: string) => /\.zip$/i.test(file) || workbookName.test(file);
/** Logs, also rotated ones, archives, files of other programs, and files without an ending. */
const perhapsEvents =
  /^[^.]+$|\.(log|txt|dat|out|tgz|tar|avro|orc|xls|xlsb|numbers|db|sqlite3?|duckdb)$|\.log[.-]|\.\d+$/i;
const noEvents =
  /^(_SUCCESS|readme|licen[cs]e|notice|authors|changelog|copying|makefile|dockerfile|requirements)(\.|$)/i;

function isEventFile(file: string): boolean {
  return eventFile.test(file.replace(packing, '')) && !isManifestPath(file);
}

/** The database at a path or above it. Files with the names of event files are not opened. */
const databaseOf = (file: string) => databaseAt(file, (above) => !isEventFile(above));

/** The purpose of the files, and a hint if there are none. */
interface FilePurpose {
  readonly code: SluiceErrorCode;
  readonly what: string;
  readonly hint: string;
}

/** Files to answer questions from. */
export const eventsPurpose: FilePurpose = {
  code: 'events-not-found',
  what: 'events',
  hint: 'Correct the path, or generate sample events with `sluice sample`.',
};

/** Downloads the data at a web address and returns the path of a copy. */
export type Download = (address: string) => Promise<string>;

/**
 * The files that paths, patterns and folders name, as absolute paths without duplicates, in an order that does not
 * depend on the machine. A file and links to it count once. A folder stands for its data files at any depth. Export
 * manifests are skipped unless a path names one. An existing path is taken literally, even if it looks like a pattern.
 * A web address stands for a downloaded copy, a zip archive for its members, a workbook for its sheets, of which a path
 * can name one (`book.xlsx/Orders`), and a database for a table, which a path can name (`app.db/hits`). Errors:
 * `purpose.code` if one of them matches nothing, `not-a-regular-file`, `remote-source`, those of `unpackZip`,
 * `unpackWorkbook`, `unpackSheet`, `unpackDatabase` and `download`.
 */
export async function findFiles(
  patterns: readonly string[],
  workingDirectory: string,
  purpose: FilePurpose,
  download?: Download,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = await Promise.all(
      (await filesOf(pattern, workingDirectory, download)).sort().map((file) => membersOf(file, purpose)),
    );
    if (files.length === 0) {
      const others = await findLeftOut([pattern], workingDirectory);
      throw new BackendError(`No ${purpose.what} found at ${pattern}.`, {
        code: purpose.code,
        hint: others.length === 0 ? purpose.hint : others.join(' '),
      });
    }
    for (const file of files.flat()) found.add(file);
  }
  return withoutLinks([...found]);
}

/** The first path of each file, and the first copy of each table: the database may have changed between two copies. */
async function withoutLinks(files: readonly string[]): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const targets = await Promise.all(files.map((file) => tableOfCopy(file) ?? targetOf(file)));
  const seen = new Set<string>();
  return files.filter((_, index) => {
    const isNew = !seen.has(targets[index]!);
    seen.add(targets[index]!);
    return isNew;
  });
}

/** The same for all links to a file: its path, or its place if the file system has several names for it. */
async function targetOf(file: string): Promise<string> {
  try {
    const stats = await stat(file, { bigint: true });
    return stats.nlink > 1n ? placeOf(stats) : await realpath(file);
  } catch {
    return file;
  }
}

/**
 * A sentence for each folder with files that may hold events, but whose names do not say so, and for each workbook of
 * which some sheets are not read.
 */
export async function findLeftOut(patterns: readonly string[], workingDirectory: string): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const pattern of patterns) {
    if (unread.size > 0 && !isAddress(pattern))
      for (const file of await filesOf(pattern, workingDirectory, undefined))
        sentences.push(...(unread.get(file) ?? []));
    const folder = resolve(workingDirectory, pattern);
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) continue;
    const others = (await filesMatching('**/*', folder, mayHoldEvents)).map((file) => relative(folder, file));
    if (others.length === 0) continue;
    const named = others.sort().slice(0, mostNamed).map(quote).join(', ');
    const count = others.length;
    sentences.push(
      `The folder ${quote(pattern)} has ${count} ${plural(count, 'file')} that ${plural(count, 'is', 'are')}` +
        ` not read, because of ${plural(count, 'its name', 'their names')}: ${named}` +
        `${count > mostNamed ? ' and others' : ''}. ` +
        `To read them, name them, such as ${quote(`${pattern.replace(/[/\\]$/, '')}/*`)}.`,
    );
  }
  return sentences;
}

const mostNamed = 3;

function mayHoldEvents(file: string): boolean {
  const name = basename(file);
  if (isEventFile(file) || isManifestPath(file) || isContainer(name) || noEvents.test(name)) return false;
  return packing.test(name) || perhapsEvents.test(name);
}

/** The members of a zip archive, the sheets of a workbook, or a table of a database; otherwise the file itself. */
async function membersOf(file: string, purpose?: FilePurpose): Promise<readonly string[]> {
  const database = databaseOf(file);
  if (database) return tableOf(database, purpose);
  const sheet = sheetAt(file);
  if (sheet) return [await (await import('../../file/unpack-workbook.ts')).unpackSheet(sheet)];
  if (!isContainer(file)) return [file];
  const { isZipFile, unpackZip } = await import('../../file/unpack-zip.ts');
  if (!(await isZipFile(file))) return [file];
  return workbookName.test(file) ? sheetsOf(file, purpose) : unpackZip(file, isEventFile);
}

async function tableOf(database: DatabasePath, purpose: FilePurpose | undefined): Promise<readonly string[]> {
  const { unpackDatabase } = await import('./database/unpack-database.ts');
  const isForModel = purpose?.code === 'table-files-not-found';
  const { path, chosen } = await unpackDatabase(database, isForModel ? 'rows' : 'events');
  if (database.table === undefined && chosen !== undefined) unread.set(database.file, [chosen]);
  return [path];
}

/** The sentences on workbooks and databases of which only a part is read. */
const unread = new Map<string, readonly string[]>();

/** The workbook that a path leads into, and the sheet that it names: `book.xlsx/Orders`. */
function sheetAt(place: string): { readonly file: string; readonly sheet: string } | undefined {
  const [, file, sheet] = /^(.+?\.(?:xlsx|xlsm|ods))[/\\](.+)$/i.exec(place) ?? [];
  if (file === undefined || sheet === undefined) return undefined;
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? { file, sheet } : undefined;
}

/**
 * Events are read only from the sheets that have a time, if some have. Sheets with times in different columns are
 * different tables. Error: `table-unclear`.
 */
async function sheetsOf(file: string, purpose: FilePurpose | undefined): Promise<readonly string[]> {
  const { unclearSheets, unpackWorkbook, unreadSheets } = await import('../../file/unpack-workbook.ts');
  const sheets = await unpackWorkbook(file);
  const found = purpose?.code === eventsPurpose.code ? await withTimes(sheets) : undefined;
  if (found && new Set(found.map(({ time }) => time)).size > 1)
    throw unclearSheets(
      file,
      found.map(({ sheet }) => sheet),
    );
  const timed = found?.map(({ sheet }) => sheet) ?? sheets;
  if (timed.length === 0 || timed.length === sheets.length) return sheets.map(({ path }) => path);
  const others = sheets.filter((sheet) => !timed.includes(sheet));
  unread.set(file, [
    unreadSheets(
      file,
      others.map(({ name }) => name),
    ),
  ]);
  return timed.map(({ path }) => path);
}

/** The sheets with a column of times, and its name. */
async function withTimes(
  sheets: readonly Sheet[],
): Promise<readonly { readonly sheet: Sheet; readonly time: string | undefined }[]> {
  const { proposeMapping } = await import('../../../plan/mapping/propose-mapping.ts');
  const { toShape } = await import('../../../plan/mapping/to-shape.ts');
  return sheets.flatMap((sheet) => {
    const { columns, missing } = proposeMapping(toShape('csv', sheet.sample));
    return missing.includes('time') ? [] : [{ sheet, time: columns.find(({ field }) => field === 'utcTime')?.source }];
  });
}

/** As `findFiles` for absolute patterns, which may match nothing. */
export async function matchFiles(patterns: readonly string[], download?: Download): Promise<readonly string[]> {
  const files = (await Promise.all(patterns.map((pattern) => filesOf(pattern, '/', download)))).flat();
  return (await Promise.all(files.map((file) => membersOf(file)))).flat();
}

/**
 * The files of absolute paths, patterns and folders, databases with their logs; undefined if one is an address, an
 * archive, or a copy of other data, whose contents only reading can show.
 */
export async function listFiles(patterns: readonly string[]): Promise<readonly string[] | undefined> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    if (isAddress(pattern)) return undefined;
    const files = (await filesOf(pattern, '/', undefined)).sort();
    // The engine rejects a pattern that matches nothing.
    if (files.length === 0) return undefined;
    if (files.some((file) => isContainer(file) || sheetAt(file) || sourceName(file) !== file)) return undefined;
    for (const file of files.flatMap(withLog)) found.add(file);
  }
  return [...found];
}

/** The files that a change of the data changes. */
function withLog(file: string): readonly string[] {
  const database = databaseOf(file);
  return database ? filesOfDatabase(database.file) : [sheetAt(file)?.file ?? file];
}

/**
 * The files of paths, patterns and folders, without duplicates, archives and databases as themselves. Patterns may
 * match nothing, and addresses are left out. Errors: `not-a-regular-file`, those of the system for folders that cannot
 * be listed.
 */
export async function namedFiles(patterns: readonly string[], workingDirectory: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns.filter((one) => !isAddress(one)))
    for (const file of (await filesOf(pattern, workingDirectory, undefined)).sort().flatMap(withLog)) found.add(file);
  return [...found];
}

function isAddress(pattern: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(pattern);
}

async function filesOf(pattern: string, workingDirectory: string, download: Download | undefined): Promise<string[]> {
  if (download && /^https?:\/\//i.test(pattern)) return [await download(pattern)];
  refuseAddress(pattern);
  const path = resolve(workingDirectory, pattern);
  noteLook(path);
  const named = await stat(path).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    const link = await readlink(path).catch(() => undefined);
    if (link !== undefined) throw await brokenLink(path);
    return undefined;
  });
  if (named?.isDirectory()) return filesMatching('**/*', path, (file) => isEventFile(file) || isContainer(file));
  if (named && !named.isFile()) throw notARegularFile(pattern);
  const database = databaseOf(path);
  if (database) noteDatabase(database.file);
  const sheet = sheetAt(path);
  if (sheet) noteLook(sheet.file);
  if (named || database || sheet) return [path];
  const found = await filesMatching(pattern, workingDirectory, (file) => !isManifestPath(file));
  for (const file of found) if (databaseOf(file)) noteDatabase(file);
  return found;
}

function noteDatabase(file: string): void {
  noteLook(file);
  noteLook(logOfDatabase(file));
}

async function filesMatching(pattern: string, folder: string, isWanted: (file: string) => boolean): Promise<string[]> {
  // No file has such a long name, and the matcher would throw its own error.
  if (pattern.length > 65_536) return [];
  const above = dirname(resolve(folder, pattern));
  // A new file changes the folder that contains it, and the pattern may match many folders.
  noteLook(/[*?[{(!]/.test(above) || pattern.includes('**') ? undefined : above);
  // Loads lazily, because most questions name files.
  const { walkFiles } = await import('../../file/walk-files.ts');
  const files = await walkFiles(pattern, folder, isWanted);
  files.forEach(noteLook);
  return [...files];
}
