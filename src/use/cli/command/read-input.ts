import path from 'node:path';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError, SluiceError } from '../../../ask/sluice-error.ts';
import { readDefinition } from '../../../run/file/read-definition.ts';
import type { Effects } from '../../process/effects.ts';
import { claimStdin } from './claim-stdin.ts';

/**
 * Reads a file of the command line, or stdin for `-`. `hint`: what to write there. Throws `InvalidInputError`, also if
 * the input is empty.
 */
export async function readInput(name: string, effects: Effects, hint = hintOnQueries): Promise<Uint8Array> {
  const bytes = await (name === '-' ? readStdin(effects) : readNamed(name, effects));
  if (bytes.some((byte) => byte > 0x20)) return bytes;
  const why = `${name === '-' ? 'stdin' : name} is empty.`;
  throw new InvalidInputError(why, [errorIssue('empty-document', why)], {
    hint,
  });
}

const hintOnQueries = 'Write a query such as `{"measures": ["TrackedEvents.count"]}`.';

async function readStdin(effects: Effects): Promise<Uint8Array> {
  claimStdin(effects, 'the query');
  // Tell the user that the command waits for input.
  if (effects.terminal)
    await effects.stderr.write('Reading from the keyboard. Press ctrl-d on an empty line to end.\n');
  return effects.readStdin();
}

async function readNamed(name: string, effects: Effects): Promise<Uint8Array> {
  try {
    return await readDefinition(path.resolve(effects.cwd, name), name);
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? `The file ${name} does not exist.`
        : code === 'EISDIR'
          ? `${name} is a folder.`
          : `${name} cannot be read (${code ?? 'unknown'}).`;
    throw new InvalidInputError(why, [errorIssue('file-unreadable', why)], {
      hint: 'Correct the path, or use `-` to read stdin.',
      cause: error,
    });
  }
}
