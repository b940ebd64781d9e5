import { access, constants, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BackendError } from '../../ask/sluice-error.ts';
import { isMissing, systemReason } from '../../run/file/system-error.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { check, type Finding } from './check.ts';

interface Place {
  readonly settings: Settings;
  readonly root: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/**
 * Checks that the folders that every workspace writes to can be written: one finding for all, or one for each fault. A
 * store may be there for reading only.
 */
export async function checkFolders({ settings, root, cwd, signal }: Place): Promise<readonly Finding[]> {
  const { runs, answers } = settings;
  const written = new Set(
    await Promise.all([path.join(root, '.sluice'), runs.value, answers.value].map((folder) => nearest(folder))),
  );
  const temporary = tmpdir();
  const hint = 'Check its permissions.';
  const faults = (
    await Promise.all([
      ...[...written].map((folder) => findFault(folder, hint)),
      findFault(temporary, 'Set `TMPDIR` to a folder that can be written.'),
    ])
  ).filter((fault) => fault !== undefined);
  if (faults.length > 0)
    return Promise.all(faults.map((fault) => check('folders', () => Promise.reject(fault), { signal })));
  const shown = [...[...written].map((folder) => showPath(folder, cwd)), temporary].join(', ');
  return [{ what: 'folders', verdict: 'ok', text: `${shown} can be written` }];
}

/** The folder itself, or the one above it in which it would be created. */
async function nearest(folder: string): Promise<string> {
  const above = path.dirname(folder);
  const isAbsent = await stat(folder).then(
    () => false,
    (error: unknown) => isMissing(error),
  );
  return isAbsent && above !== folder ? nearest(above) : folder;
}

async function findFault(folder: string, hint: string): Promise<BackendError | undefined> {
  try {
    if (!(await stat(folder)).isDirectory()) return fault(`${folder} is not a folder.`, 'Remove it, or move it away.');
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (cause) {
    return fault(`${folder} cannot be written: ${systemReason(cause as NodeJS.ErrnoException)}.`, hint, cause);
  }
}

function fault(message: string, hint: string, cause?: unknown): BackendError {
  return new BackendError(message, { code: 'file-unwritable', cause, hint });
}
