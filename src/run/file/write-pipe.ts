import { openSync } from 'node:fs';
import { constants } from 'node:fs/promises';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chunks } from './chunks.ts';

/** Writes into a named pipe, as soon as it has a reader, at the reader's pace. */
export async function writePipe(file: string, chunks: Chunks, signal: AbortSignal | undefined): Promise<void> {
  const until = signal ? { signal } : {};
  const pipe = new Socket({ fd: await openPipe(file, until), readable: false, writable: true });
  await pipeline(Readable.from(chunks), pipe, until);
}

/** An `open` that waits for the reader would hold a thread, and with it the end of the process. */
async function openPipe(file: string, until: { readonly signal?: AbortSignal }): Promise<number> {
  for (;;) {
    try {
      return openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await pause(20, undefined, until);
  }
}
