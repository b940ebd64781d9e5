import { statSync } from 'node:fs';
import { toLook } from '../../looks.ts';
import { namedFiles } from './find-files.ts';

/** A file as it was when it was listed. */
export interface MarkedFile {
  readonly path: string;
  /** Changes with the file. */
  readonly mark: string;
  /** Stays when bytes are appended: device and inode. */
  readonly place: string;
  readonly bytes: number;
  /** The last change in epoch milliseconds. */
  readonly changed: number;
}

/**
 * The files that paths, patterns and folders name now, in order, without reading them: an archive stands for itself.
 * Throws as `namedFiles`.
 */
export async function markedFiles(
  patterns: readonly string[],
  workingDirectory: string,
): Promise<readonly MarkedFile[]> {
  return (await namedFiles(patterns, workingDirectory)).map((path) => {
    // Synchronous, because another thread would take longer.
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return { path, mark: 'gone', place: '', bytes: 0, changed: 0 };
    return { path, ...toLook(stats, path), place: `${stats.dev} ${stats.ino}`, bytes: Number(stats.size) };
  });
}
