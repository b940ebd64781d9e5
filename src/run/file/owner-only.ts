import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Chunks } from './byte-source.ts';
import { writeFileWhole } from './write-file.ts';

/** Modes for files with events, figures or names of a project: only the owner may read them, whatever the umask is. */
export const ownerOnly = { folder: 0o700, file: 0o600 } as const;

/** As `makeFolder`; only the owner may read new folders. */
export function makeOwnFolder(folder: string): Promise<string | undefined> {
  return makeFolder(folder, ownerOnly.folder);
}

/**
 * Creates a folder and its parents. An existing one keeps its mode. Resolves with the first folder that was created.
 */
export async function makeFolder(folder: string, mode?: number): Promise<string | undefined> {
  const make = () => mkdir(folder, { recursive: true, mode });
  return make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    // Node says so of a read-only disk, too. Creating the first one alone gives the reason.
    await mkdir(await firstMissing(path.resolve(folder)), mode);
    return make();
  });
}

async function firstMissing(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  const isThere = await stat(parent).then(
    () => true,
    () => false,
  );
  return isThere || parent === folder ? folder : firstMissing(parent);
}

/** Like `writeFileWhole`; an existing file keeps its mode. */
export function writeOwnFile(file: string, chunks: Chunks, signal?: AbortSignal): Promise<void> {
  return writeFileWhole(file, chunks, signal, ownerOnly.file);
}

/** Restricts a new file written by other software, such as DuckDB. Does nothing on file systems without modes. */
export async function keepToOwner(file: string): Promise<void> {
  await chmod(file, ownerOnly.file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'ENOTSUP' && error.code !== 'ENOSYS') throw error;
  });
}
