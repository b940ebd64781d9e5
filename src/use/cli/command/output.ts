import { mkdir, stat } from 'node:fs/promises';
import { SluiceError, throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Chunks } from '../../../run/file/chunks.ts';
import type { Sink } from '../../process/effects.ts';

/** Writes chunks one after the other, at the pace of who reads them. */
export async function writeChunks(sink: Sink, chunks: Chunks, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    await sink.write(chunk);
  }
}

/** Makes the folder that `-o` names, but none above it. Errors: `folder-not-found`, `not-a-folder`, and the system's. */
export async function makeOutputFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(folder).catch(() => undefined))?.isDirectory()) return;
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new SluiceError(`${folder} is no folder.`, { code: 'not-a-folder', cause, hint: 'Several answers need a folder to go to: name another one.' });
    if (code === 'ENOENT') throw new SluiceError(`The folder ${folder} cannot be made: there is none above it.`, { code: 'folder-not-found', cause, hint: 'Make the one above first, or correct the path.' });
    throw new SluiceError(`The folder ${folder} cannot be made (${code ?? 'unknown'}).`, { code: 'file-unwritable', cause, hint: 'Look whether you may write there.' });
  }
}
