import { type FileHandle, open } from 'node:fs/promises';
import { ownerOnly } from '../../file/owner-only.ts';
import { type Hasher, openHasher } from './hasher.ts';
import { quote } from '../../../ask/text.ts';
import { readLineBytes } from '../../file/line-bytes.ts';
import { ExportError } from '../rows/export-error.ts';

/** Size and hash of a written file. */
export interface WrittenFile {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** A file that is written from start to end and hashed at the same time. */
interface SpoolFile extends AsyncDisposable {
  /** Resolves when the buffer may be reused. */
  write(bytes: Uint8Array): Promise<void>;
  /** Discards the contents. */
  restart(): Promise<void>;
  /** Syncs to disk if `sync`. Call it last. */
  finish(sync: boolean): Promise<WrittenFile>;
}

/** Creates or truncates the file. Rejects with the system's errors. */
export async function openSpoolFile(file: string, hasher: Hasher = openHasher()): Promise<SpoolFile> {
  const handle = await open(file, 'w', ownerOnly.file);
  let bytes = 0;
  return {
    async write(piece) {
      const writing = writeAll(handle, piece, bytes);
      bytes += piece.length;
      // Hash while the system writes the bytes.
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

// Matches escaped backslashes and whole pairs first, so that only unpaired halves are captured.
const surrogate = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g;

/** The lines of a file of rows. Unpaired surrogates and invalid UTF-8 become U+FFFD. */
export async function* mendRows(file: string): AsyncGenerator<string> {
  for await (const block of readLineBlocks(file))
    yield block.replace(surrogate, (whole, half: string | undefined) => (half === undefined ? whole : '\\ufffd'));
}

/** Characters per chunk. */
const chunkLength = 1 << 18;

/**
 * The lines of a file of rows, each repeated as often as its count, with the count 1. Nothing else in them changes.
 * `countKey`: key of the count. Throws `count-unreadable`.
 */
export async function* expandRows(file: string, countKey: string): AsyncGenerator<string> {
  const key = `${JSON.stringify(countKey)}:`;
  const single = `${key}"1"}`;
  let chunk = '';
  for await (const block of readLineBlocks(file)) {
    for (const line of linesOf(block)) {
      const [text, copies] = line.endsWith(single) ? [line, 1] : singleOf(line, countKey, key);
      for (let copy = 0; copy < copies; copy += 1) {
        chunk += `${text}\n`;
        if (chunk.length < chunkLength) continue;
        yield chunk;
        chunk = '';
      }
    }
  }
  if (chunk !== '') yield chunk;
}

function* linesOf(block: string): Generator<string> {
  for (let start = 0; start < block.length; ) {
    const end = block.indexOf('\n', start);
    yield block.slice(start, end === -1 ? undefined : end);
    start = end === -1 ? block.length : end + 1;
  }
}

function singleOf(line: string, countKey: string, key: string): readonly [string, number] {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const count = Number(row[countKey]);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new ExportError(`A row has an invalid event count: ${quote(String(row[countKey]))}.`, {
      code: 'count-unreadable',
      hint: 'Remove `--expand` to write the rows as they are.',
    });
  }
  const at = line.indexOf(key);
  // A value may be an object with the same key. Such rows are written anew, where numbers with many digits may be
  // rounded.
  if (at === -1 || line.indexOf(key, at + 1) !== -1) return [JSON.stringify({ ...row, [countKey]: '1' }), count];
  const rest = line.slice(at + key.length).replace(/^\s*(?:"[^"]*"|[^,}]*)/, '"1"');
  return [line.slice(0, at + key.length) + rest, count];
}

/** A file as text, in pieces of whole lines. Invalid UTF-8 becomes U+FFFD. */
async function* readLineBlocks(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of readLineBytes(file)) yield decoder.decode(bytes);
}
