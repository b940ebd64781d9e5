import path from 'node:path';
import type { Annotation } from '../../ask/chart/annotation.ts';
import type { Located } from '../../ask/document/located.ts';
import { BackendError, SluiceError } from '../../ask/sluice-error.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { showPath } from '../process/show-path.ts';
import { unwrap } from '../workspace/refuse.ts';

const names = ['annotations.yaml', 'annotations.yml'] as const;

/** Reads a file of annotations with all its issues. Returns undefined if the file does not exist. */
export async function readAnnotationsFile(
  file: string,
  shown: string,
): Promise<Located<readonly Annotation[]> | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readDefinition(file, shown);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BackendError(`${shown} cannot be read (${code ?? 'unknown'}).`, {
      code: 'file-unreadable',
      cause,
      hint: 'Check the file permissions.',
    });
  }
  const { readAnnotations } = await import('../../ask/chart/annotation.ts');
  return readAnnotations(bytes, shown);
}

/**
 * Reads the annotations of a workspace, `annotations.yaml` in its folder of reports. Returns none if there is no file.
 * Throws `InvalidInputError` with every issue.
 */
export async function findAnnotations(reports: string, cwd: string): Promise<readonly Annotation[]> {
  for (const name of names) {
    const file = path.join(reports, name);
    const shown = showPath(file, cwd);
    const read = await readAnnotationsFile(file, shown);
    if (read) return unwrap(read, shown, read);
  }
  return [];
}
