import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, ownerOnly, writeOwnFile } from '../file/owner-only.ts';
import { isOwnerGone, ownerMark } from '../file/temporary-folder.ts';
import { isZipFile } from '../file/unpack-zip.ts';
import { ownProcess } from '../own-process.ts';

/** A server's description of a version of its data. */
export interface DataVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** True if the version can be used to resume: equal versions then mean equal bytes. */
  readonly isStrong: boolean;
  /** Total size in bytes; undefined if the server did not send it. */
  readonly bytes?: number | undefined;
}

/** A complete copy from an earlier download. */
export interface KeptCopy {
  readonly file: string;
  readonly version: DataVersion;
}

/** A download in progress in this process. Its bytes outlive the process, and another process may resume it. */
export interface PartialCopy {
  readonly folder: string;
  readonly file: string;
  /** The version of its bytes; undefined if there is nothing to resume. */
  version(): Promise<DataVersion | undefined>;
  bytes(): Promise<number>;
  /** Synchronous: bytes that arrive meanwhile would be lost if the connection broke. */
  begin(version: DataVersion): void;
}

/** `name` and `identity` tie a record to its file, because another process may replace either. */
interface CopyRecord extends DataVersion {
  readonly name: string;
  readonly identity: string;
}

/** The folder of an address; its name does not reveal the address. `before`: prefix of the name. */
export function placeOf(folder: string, address: string, before = ''): string {
  return path.join(folder, before + createHash('sha256').update(address).digest('hex').slice(0, 32));
}

const recordName = 'about.json';

/** The complete copy in a place; undefined if there is none or if its file was changed. */
export async function findKeptCopy(place: string): Promise<KeptCopy | undefined> {
  const record = await readRecord<CopyRecord>(path.join(place, recordName));
  if (record === undefined || typeof record.name !== 'string') return undefined;
  const file = path.join(place, path.basename(record.name));
  return (await identify(file)) === record.identity ? { file, version: record } : undefined;
}

/** Moves a complete download to its place. `name`: the last part of its address. */
export async function keepCopy(place: string, part: PartialCopy, name: string, type: string): Promise<string> {
  const version = (await part.version()) ?? { isStrong: false };
  const called = (await isZipFile(part.file)) && !/\.zip$/i.test(name) ? `${name}.zip` : withEnding(name, type);
  const record: CopyRecord = {
    ...version,
    name: called,
    identity: (await identify(part.file)) ?? '',
  };
  const file = path.join(place, called);
  // A record without its file does not count as a copy, so write the record first.
  await writeOwnFile(path.join(place, recordName), [JSON.stringify(record)]);
  await rename(part.file, file);
  await rm(part.folder, { recursive: true, force: true });
  return file;
}

const endings: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
  'application/x-ndjson': '.ndjson',
};

/** The file name decides between CSV and NDJSON. */
function withEnding(name: string, type: string): string {
  const ending = endings[type.split(';')[0]!.trim().toLowerCase()];
  return ending === undefined || /\.\w{1,8}$/.test(name) ? name : `${name}${ending}`;
}

const partPrefix = 'part-';
/** In a folder's name, marks a download that no process is working on. */
const free = 'free';

/** Takes over an unfinished download, or begins a new one. Removes further unfinished ones. */
export async function openPartialCopy(place: string): Promise<PartialCopy> {
  await makeOwnFolder(place);
  const own = ownProcess();
  const folder = await mkdtemp(path.join(place, `${partPrefix}${own ? ownerMark(own) : free}-`));
  for (const name of (await readdir(place)).sort()) {
    const mark = new RegExp(`^${partPrefix}(.+)-\\w{6}$`).exec(name)?.[1];
    if (mark === undefined || path.join(place, name) === folder) continue;
    if (mark !== free && !(own && isOwnerGone(own, mark))) continue;
    // Only one process succeeds, because a rename does not replace a folder that is not empty.
    const isTaken = await rename(path.join(place, name), folder).then(
      () => true,
      () => false,
    );
    if (!isTaken) await rm(path.join(place, name), { recursive: true, force: true });
  }
  return toPartialCopy(folder);
}

/** Leaves an unfinished download to the next process. */
export async function releasePartialCopy({ folder, bytes }: PartialCopy): Promise<void> {
  if ((await bytes()) === 0) return rm(folder, { recursive: true, force: true });
  await rename(folder, path.join(path.dirname(folder), `${partPrefix}${free}-${folder.slice(-6)}`));
}

function toPartialCopy(folder: string): PartialCopy {
  const file = path.join(folder, 'body');
  const record = path.join(folder, recordName);
  const bytes = async () => (await stat(file).catch(() => undefined))?.size ?? 0;
  return {
    folder,
    file,
    bytes,
    version: async () => readRecord<DataVersion>(record),
    begin(version) {
      // Write the record last, because it describes the bytes that follow.
      rmSync(record, { force: true });
      writeFileSync(file, '', { mode: ownerOnly.file });
      writeFileSync(record, JSON.stringify(version), { mode: ownerOnly.file });
    },
  };
}

async function readRecord<T extends object>(file: string): Promise<T | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

async function identify(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeNs}` : undefined;
}
