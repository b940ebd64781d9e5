import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AbortedError } from '../../ask/sluice-error.ts';

export interface SpoolOptions {
  /** Bytes of one answer that wait in memory; the rest waits on the disk. */
  readonly memoryBytes: number;
  /** Bytes of all answers that may wait on the disk. */
  readonly diskBytes: number;
  /** So long an answer may wait for its client once the disk's share is used up. */
  readonly holdMs: number;
}

/** An answer that is read as fast as it comes, and given as it is asked for. */
export interface SpooledAnswer {
  /** What went wrong while it was read is thrown once the pieces before it have been taken. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Stops reading, and gives up what nobody took. */
  close(): Promise<void>;
}

/** Where answers wait for clients that read slowly, so that the work on an answer never waits for them. */
export interface Spool {
  /** Begins to read at once. `onEnd` is told when all pieces have been read, or reading has stopped. */
  read(pieces: AsyncIterable<string | Uint8Array>, onEnd: () => void): SpooledAnswer;
}

const pieceBytes = 256 * 1024;

export function openSpool({ memoryBytes, diskBytes, holdMs }: SpoolOptions): Spool {
  /** Of all answers, on the disk. */
  let used = 0;

  const read = (source: AsyncIterable<string | Uint8Array>, onEnd: () => void): SpooledAnswer => {
    // What is in memory comes before what is in the file.
    const inMemory: Uint8Array[] = [];
    let memory = 0;
    let file: FileHandle | undefined;
    let [reserved, written, taken] = [0, 0, 0];
    let state = 'reading' as 'reading' | 'read' | 'stopped';
    let changed = Promise.withResolvers<void>();
    const tell = () => {
      changed.resolve();
      changed = Promise.withResolvers<void>();
    };
    const isTaken = () => inMemory.length === 0 && taken === written;
    const freeDisk = () => {
      used -= reserved;
      [reserved, written, taken] = [0, 0, 0];
    };

    const untilTaken = async () => {
      const until = performance.now() + holdMs;
      while (!isTaken() && state === 'reading') {
        if (performance.now() >= until) throw new AbortedError('The client reads too slowly.');
        const timer = setTimeout(tell, until - performance.now());
        await changed.promise;
        clearTimeout(timer);
      }
    };

    const put = async (bytes: Uint8Array) => {
      if (taken === written) freeDisk();
      let fits = reserved === 0 && memory + bytes.length <= memoryBytes;
      if (!fits && used + bytes.length > diskBytes) {
        await untilTaken();
        freeDisk();
        fits = true;
      }
      if (fits) {
        inMemory.push(bytes);
        memory += bytes.length;
        return;
      }
      used += bytes.length;
      reserved += bytes.length;
      file ??= await openNameless();
      await file.write(bytes, 0, bytes.length, written);
      written += bytes.length;
    };

    const reading = (async () => {
      try {
        for await (const piece of source) {
          // The bytes of a piece may be others once the next one is asked for.
          if (piece.length > 0) await put(Buffer.from(piece as Uint8Array));
          tell();
          if (state === 'stopped') return;
        }
      } finally {
        if (state === 'reading') state = 'read';
        onEnd();
        tell();
      }
    })();
    // It is awaited below.
    reading.catch(() => undefined);

    async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
      for (;;) {
        const first = inMemory.shift();
        if (first) {
          memory -= first.length;
          tell();
          yield first;
        } else if (file && taken < written) {
          const bytes = Buffer.allocUnsafe(Math.min(pieceBytes, written - taken));
          const { bytesRead } = await file.read(bytes, 0, bytes.length, taken);
          taken += bytesRead;
          tell();
          yield bytes.subarray(0, bytesRead);
        } else if (state === 'reading') await changed.promise;
        else break;
      }
      await reading;
    }

    const close = async () => {
      state = 'stopped';
      tell();
      await reading.catch(() => undefined);
      inMemory.length = 0;
      freeDisk();
      await file?.close();
      file = undefined;
    };

    return { pieces: pieces(), close };
  };

  return { read };
}

/** A file that only this process can open, and that goes away with it, however it ends. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `sluice-answer-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  return file;
}
