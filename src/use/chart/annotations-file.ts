import path from 'node:path';
import type { Annotation } from '../../ask/chart/annotation.ts';
import type { Located } from '../../ask/document/located.ts';
import { BackendError, SluiceError } from '../../ask/sluice-error.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { showPath } from '../process/show-path.ts';
import { unwrap } from '../workspace/refuse.ts';

const names = ['annotations.yaml', 'annotations.yml'] as const;

/** A file of annotations, with all that is wrong with it; undefined where there is none. */
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
 * The annotations of a workspace: `annotations.yaml` in its folder of reports; none where it has none. Throws
 * `InvalidInputError`, every issue drawn.
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
