import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AbortedError } from '../../ask/sluice-error.ts';

export interface SpoolOptions {
  /** Bytes of one answer to buffer in memory. The rest is buffered on disk. */
  readonly memoryBytes: number;
  /** Bytes of all answers to buffer on disk. */
  readonly diskBytes: number;
  /** How long an answer may wait for its client if the disk buffer is full. */
  readonly holdMs: number;
}

/** An answer that is read as fast as it is produced, and returned as fast as the client reads it. */
export interface SpooledAnswer {
  /** Errors of reading are thrown after the pieces before them. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Stops reading, and discards the rest. */
  close(): Promise<void>;
}

/** Buffers answers for slow clients, so that the work on an answer does not wait for its client. */
export interface Spool {
  /** Starts reading immediately. `onEnd` is called when all pieces are read, or reading has stopped. */
  read(pieces: AsyncIterable<string | Uint8Array>, onEnd: () => void): SpooledAnswer;
}

const pieceBytes = 256 * 1024;

export function openSpool({ memoryBytes, diskBytes, holdMs }: SpoolOptions): Spool {
  /** Bytes of all answers on disk. */
  let used = 0;

  const read = (source: AsyncIterable<string | Uint8Array>, onEnd: () => void): SpooledAnswer => {
    // Pieces in memory precede those in the file.
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
          // Copy, because the buffer of a piece may be reused for the next one.
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
    // Avoids an unhandled rejection until it is awaited below.
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

/** Opens a temporary file without a name. Only this process can open it, and it disappears with the process. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `sluice-answer-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  return file;
}
