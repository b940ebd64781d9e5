import { chmod, mkdir } from 'node:fs/promises';
import type { Chunks } from './byte-source.ts';
import { writeFileWhole } from './write-file.ts';

/**
 * Modes of what holds events, figures or names of a project: nobody but its owner reads it, whatever the umask lets
 * pass.
 */
export const ownerOnly = { folder: 0o700, file: 0o600 } as const;

/** Makes a folder and those above it. One that is there keeps its mode. Resolves with the first one that was made. */
export function makeOwnFolder(folder: string): Promise<string | undefined> {
  return mkdir(folder, { recursive: true, mode: ownerOnly.folder });
}

/** As `writeFileWhole`; a file that is there keeps its mode. */
export function writeOwnFile(file: string, chunks: Chunks, signal?: AbortSignal): Promise<void> {
  return writeFileWhole(file, chunks, signal, ownerOnly.file);
}

/** For a new file that somebody else wrote, such as DuckDB. A file system that knows no modes is left as it is. */
export async function keepToOwner(file: string): Promise<void> {
  await chmod(file, ownerOnly.file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'ENOTSUP' && error.code !== 'ENOSYS') throw error;
  });
}
