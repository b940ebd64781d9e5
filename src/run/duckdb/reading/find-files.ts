import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { BackendError } from '../../../ask/sluice-error.ts';
import { plural, quote } from '../../../ask/text.ts';
import { isManifestPath } from '../../export/files/export-manifest.ts';
import { sourceName } from '../../file/source-copy.ts';
import { brokenLink, isMissing } from '../../file/system-error.ts';
import { notARegularFile, refuseAddress } from './formats/unfit-file.ts';
import { noteLook } from '../../looks.ts';

/** Compression formats that sluice cannot read count too, because such files are refused by name. */
const packing = /\.(gz|gzip|zst|zstd|bz2|xz|lz4|lzma|br|sz|snappy|7z|rar)$/i;
const eventFile = /\.(ndjson|jsonl|json|csv|tsv|parquet|arrow|arrows|feather)$/i;
/** Logs, also rotated ones, archives, files of other programs, and files without an ending. */
const perhapsEvents = /^[^.]+$|\.(log|txt|dat|out|tgz|tar|avro|orc|xls|xlsx|ods|db|sqlite3?|duckdb)$|\.log[.-]|\.\d+$/i;
const noEvents =
  /^(_SUCCESS|readme|licen[cs]e|notice|authors|changelog|copying|makefile|dockerfile|requirements)(\.|$)/i;

function isEventFile(file: string): boolean {
  return eventFile.test(file.replace(packing, '')) && !isManifestPath(file);
}

/** The purpose of the files, and a hint if there are none. */
export interface FilePurpose {
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
 * A web address stands for a downloaded copy, and a zip archive for its members. Errors: `purpose.code` if one of them
 * matches nothing, `not-a-regular-file`, `remote-source`, those of `unpackZip` and of `download`.
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
      (await filesOf(pattern, workingDirectory, download)).sort(byCodeUnit).map(membersOf),
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

/** The first path of each file. */
async function withoutLinks(files: readonly string[]): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const seen = new Set<string>();
  return files.filter((_, index) => {
    const isNew = !seen.has(targets[index]!);
    seen.add(targets[index]!);
    return isNew;
  });
}

/**
 * A sentence for each folder with files that may hold events, but whose names do not say so. Patterns and paths name
 * their files, so nothing is left out of them.
 */
export async function findLeftOut(patterns: readonly string[], workingDirectory: string): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const pattern of patterns) {
    const folder = resolve(workingDirectory, pattern);
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) continue;
    const others = (await filesMatching('**/*', folder, mayHoldEvents)).map((file) => relative(folder, file));
    if (others.length === 0) continue;
    const named = others.sort(byCodeUnit).slice(0, mostNamed).map(quote).join(', ');
    const count = others.length;
    sentences.push(
      `The folder ${quote(pattern)} has ${count} ${plural(count, 'file')} that ${plural(count, 'is', 'are')} not read, because of ${plural(count, 'its name', 'their names')}: ${named}${count > mostNamed ? ' and others' : ''}. To read them, name them, such as ${quote(`${pattern.replace(/[/\\]$/, '')}/*`)}.`,
    );
  }
  return sentences;
}

const mostNamed = 3;

function mayHoldEvents(file: string): boolean {
  const name = basename(file);
  if (isEventFile(file) || isManifestPath(file) || /\.zip$/i.test(name) || noEvents.test(name)) return false;
  return packing.test(name) || perhapsEvents.test(name);
}

/** The members of a zip archive; otherwise the file itself. */
async function membersOf(file: string): Promise<readonly string[]> {
  if (!/\.zip$/i.test(file)) return [file];
  const { isZipFile, unpackZip } = await import('../../file/unpack-zip.ts');
  return (await isZipFile(file)) ? unpackZip(file, isEventFile) : [file];
}

/** As `findFiles` for absolute patterns, which may match nothing. */
export async function matchFiles(patterns: readonly string[], download?: Download): Promise<readonly string[]> {
  const files = (await Promise.all(patterns.map((pattern) => filesOf(pattern, '/', download)))).flat();
  return (await Promise.all(files.map(membersOf))).flat();
}

/**
 * The files of absolute paths, patterns and folders; undefined if one is an address, an archive, or a copy of other
 * data, whose contents only reading can show.
 */
export async function listFiles(patterns: readonly string[]): Promise<readonly string[] | undefined> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    if (/^[a-z][a-z\d+.-]+:\/\//i.test(pattern)) return undefined;
    const files = (await filesOf(pattern, '/', undefined)).sort(byCodeUnit);
    // The engine rejects a pattern that matches nothing.
    if (files.length === 0) return undefined;
    if (files.some((file) => /\.zip$/i.test(file) || sourceName(file) !== file)) return undefined;
    for (const file of files) found.add(file);
  }
  return [...found];
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
  if (named?.isDirectory()) return filesMatching('**/*', path, (file) => isEventFile(file) || /\.zip$/i.test(file));
  if (named && !named.isFile()) throw notARegularFile(pattern);
  if (named) return [path];
  return filesMatching(pattern, workingDirectory, (file) => !isManifestPath(file));
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

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
