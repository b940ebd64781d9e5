import { mkdir, stat } from 'node:fs/promises';
import { SluiceError } from '../../ask/sluice-error.ts';
import { systemReason } from './system-error.ts';

/**
 * Creates the folder that a user specified for output, but no parent folders: a missing parent is probably a typo. An
 * existing folder keeps its mode. Errors: `folder-not-found`, `not-a-folder`, `file-unwritable`.
 */
export async function makeOutputFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, mode);
  } catch (cause) {
    const refused = cause as NodeJS.ErrnoException;
    const { code } = refused;
    if (code === 'EEXIST' && (await stat(folder).catch(() => undefined))?.isDirectory()) return;
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new SluiceError(`${folder} is not a folder.`, {
        code: 'not-a-folder',
        cause,
        hint: 'Specify another folder with `-o`.',
      });
    if (code === 'ENOENT')
      throw new SluiceError(`The folder ${folder} cannot be created: its parent folder does not exist.`, {
        code: 'folder-not-found',
        cause,
        hint: 'Create the parent folder first, or correct the path.',
      });
    throw new SluiceError(`The folder ${folder} cannot be created: ${systemReason(refused)}.`, {
      code: 'file-unwritable',
      cause,
      hint: 'Check the disk and the permissions of the parent folder.',
    });
  }
}
