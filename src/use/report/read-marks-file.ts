import type { Annotation } from '../../ask/annotation.ts';
import type { Outcome } from '../../ask/outcome.ts';

/** The marks of a file; undefined where there is none. */
export async function readMarksFile(_file: string, _shown: string): Promise<Outcome<readonly Annotation[]> | undefined> {
  return undefined;
}
