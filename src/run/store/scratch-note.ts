import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownerOnly } from '../file/owner-only.ts';
import { isTemporaryFolder } from '../file/temporary-folder.ts';

/**
 * Keeps note, in a store, of the folder for temporary files of who writes it. What is read waits there as plain text: a
 * writer that was killed leaves it, and the next one removes it. Only for who holds the lock.
 */
export async function openScratchNote(folder: string, scratch: string): Promise<AsyncDisposable> {
  const note = path.join(folder, 'scratch');
  const left = await readFile(note, 'utf8').catch(() => '');
  // A store may come from elsewhere: its note leads to nothing but a folder of this kind.
  if (isTemporaryFolder(left)) await rm(left, { recursive: true, force: true });
  await writeFile(note, scratch, { mode: ownerOnly.file });
  return { [Symbol.asyncDispose]: () => rm(note, { force: true }) };
}
