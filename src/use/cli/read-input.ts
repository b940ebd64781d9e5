import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { errorIssue } from '../../ask/outcome.ts';
import type { Effects } from './effects.ts';

/** The bytes of a file that was named on the command line, or of stdin for `-`. Throws `InvalidInputError`. */
export async function readInput(name: string, effects: Effects): Promise<Uint8Array> {
  if (name === '-') return effects.readStdin();
  try {
    return await readFile(path.resolve(effects.cwd, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `There is no file ${name}.` : code === 'EISDIR' ? `${name} is a folder.` : `${name} cannot be read (${code ?? 'unknown'}).`;
    throw new InvalidInputError(why, [errorIssue('file-unreadable', why)], { hint: 'Correct the path, or give `-` to read stdin.', cause: error });
  }
}
