import { type FileHandle, open } from 'node:fs/promises';
import { ownerOnly } from '../../file/owner-only.ts';
import { readLineBlocks } from './expand-rows.ts';
import { type Hasher, openHasher } from './hasher.ts';

/** What a file holds that has been written. */
export interface WrittenFile {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** A file that is written from its start to its end, hashed on the way. */
interface SpoolFile extends AsyncDisposable {
  /** Resolves when the bytes may be used otherwise. */
  write(bytes: Uint8Array): Promise<void>;
  /** Forgets what was written. */
  restart(): Promise<void>;
  /** To the disk where `sync`; nothing may follow. */
  finish(sync: boolean): Promise<WrittenFile>;
}

/** Empties the file, or makes it. Rejects with the system's own errors. */
export async function openSpoolFile(file: string, hasher: Hasher = openHasher()): Promise<SpoolFile> {
  const handle = await open(file, 'w', ownerOnly.file);
  let bytes = 0;
  return {
    async write(piece) {
      const writing = writeAll(handle, piece, bytes);
      bytes += piece.length;
      // Hashed while the system takes the bytes.
      await Promise.all([hasher.update(piece), writing]);
    },
    async restart() {
      await handle.truncate(0);
      hasher.restart();
      bytes = 0;
    },
    async finish(sync) {
      if (sync) await handle.sync();
      return { bytes, sha256: await hasher.digest() };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function writeAll(handle: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    const { bytesWritten } = await handle.write(piece, done, piece.length - done, position + done);
    done += bytesWritten;
  }
}

// Escaped backslashes and whole pairs go by; what is left are halves.
const surrogate = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g;

/** The lines of a file of rows, with U+FFFD for what is no character: halves of pairs, and bytes that are no UTF-8. */
export async function* mendRows(file: string): AsyncGenerator<string> {
  for await (const block of readLineBlocks(file))
    yield block.replace(surrogate, (whole, half: string | undefined) => (half === undefined ? whole : '\\ufffd'));
}
