import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../ask/sluice-error.ts';
import type { Sink } from './effects.ts';

type Chunks = AsyncIterable<string> | Iterable<string>;

/** Writes chunks one after the other, at the pace of who reads them. */
export async function writeChunks(sink: Sink, chunks: Chunks, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    await sink.write(chunk);
  }
}

/** Writes a file that appears whole or not at all. Error: `file-unwritable`. */
export async function writeFileWhole(file: string, chunks: Chunks, signal: AbortSignal): Promise<void> {
  const unfinished = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.part`);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    const handle = await open(unfinished, 'w');
    try {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        await handle.write(chunk);
      }
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (signal.aborted || !isSystemError(cause)) throw cause;
    throw new SluiceError(`${file} cannot be written (${cause.code}).`, { code: 'file-unwritable', cause, hint: 'Look whether the folder may be written to and has room.' });
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
