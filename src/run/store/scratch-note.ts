import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownerOnly } from '../file/owner-only.ts';
import { isTemporaryFolder } from '../file/temporary-folder.ts';

/**
 * Notes in a store the temporary folder of its writer. Loaded data is stored there as plain text. If the writer is
 * killed, the next writer removes the folder. The caller must hold the lock.
 */
export async function openScratchNote(folder: string, scratch: string): Promise<AsyncDisposable> {
  const note = path.join(folder, 'scratch');
  const left = await readFile(note, 'utf8').catch(() => '');
  // A store may come from another machine, so only a folder of this kind may be removed.
  if (isTemporaryFolder(left)) await rm(left, { recursive: true, force: true });
  await writeFile(note, scratch, { mode: ownerOnly.file });
  return { [Symbol.asyncDispose]: () => rm(note, { force: true }) };
}
