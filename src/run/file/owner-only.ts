import { chmod, mkdir } from 'node:fs/promises';
import type { Chunks } from './byte-source.ts';
import { writeFileWhole } from './write-file.ts';

/** Modes for files with events, figures or names of a project: only the owner may read them, whatever the umask is. */
export const ownerOnly = { folder: 0o700, file: 0o600 } as const;

/**
 * Creates a folder and its parents. An existing one keeps its mode. Resolves with the first folder that was created.
 */
export function makeOwnFolder(folder: string): Promise<string | undefined> {
  return mkdir(folder, { recursive: true, mode: ownerOnly.folder });
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
