import { writeFile } from 'node:fs/promises';
import { isThere } from '../../../run/file/is-there.ts';
import path from 'node:path';
import { ownerOnly } from '../../../run/file/owner-only.ts';
import { askedPath } from '../../../run/kept/kept-text.ts';
import type { Invocation } from './invocation.ts';

/**
 * True if this workspace has answered the same command, so that its answer may be cached. Settings are not read yet, so
 * this searches for the folder here and above. A wrong result only affects when the engine starts.
 */
export async function wasAnswered({ args, flags, effects }: Invocation<object>): Promise<boolean> {
  const command = commandOf({ args, flags, effects });
  for (let folder = effects.cwd; ; folder = path.dirname(folder)) {
    if (await isThere(askedPath(path.join(folder, '.sluice', 'cache'), command))) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

/** Records that a command was answered, if its workspace caches answers. */
export async function noteAnswered(invocation: Invocation<object>, folder: string): Promise<void> {
  const file = askedPath(folder, commandOf(invocation));
  await writeFile(file, '', { flag: 'w', mode: ownerOnly.file }).catch(() => undefined);
}

function commandOf({ args, flags, effects }: Invocation<object>): string {
  return JSON.stringify([effects.cwd, args, flags]);
}
