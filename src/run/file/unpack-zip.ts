import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { BackendError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { newSourceCopy, openUnpacked, sourceName } from './source-copy.ts';

/** An archive beyond both of these limits is rejected as a zip bomb. */
const mostRatio = 200;
const mostBytes = 2 ** 30;
const mostMembers = 100_000;

function isZip(start: Buffer): boolean {
  const mark = start.subarray(0, 4).toString('hex');
  return mark === '504b0304' || mark === '504b0506' || mark === '504b0708';
}

/** True if a file begins like a zip archive. */
export async function isZipFile(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  return isZip(buffer.subarray(0, bytesRead));
}

const unpackOnce = openUnpacked<readonly string[]>();

/**
 * Extracts the data members of a zip archive as temporary copies called `archive.zip/member.csv`, ordered by name. An
 * unchanged archive is unpacked only once. Errors: `file-corrupt`, `zip-unfit`.
 */
export function unpackZip(file: string, isData: (name: string) => boolean): Promise<readonly string[]> {
  return unpackOnce(file, (size) => unpackAll(file, size, isData));
}

async function unpackAll(file: string, size: number, isData: (name: string) => boolean): Promise<readonly string[]> {
  try {
    const archive = await openPromise(file, { lazyEntries: true, autoClose: false, strictFileNames: true });
    try {
      const members = await listMembers(archive, file, size);
      const named = members.filter(({ fileName }) => isData(fileName));
      const wanted = named.length > 0 || members.length !== 1 ? named : members;
      if (wanted.length === 0)
        throw unfitZip(file, 'has no data files', 'Unpack it with `unzip`, and specify the files.');
      const copies: string[] = [];
      for (const member of wanted.sort((one, other) => (one.fileName < other.fileName ? -1 : 1)))
        copies.push(await unpackMember(archive, member, file));
      return copies;
    } finally {
      archive.close();
    }
  } catch (cause) {
    if (cause instanceof BackendError || isOfTheMachine(cause)) throw cause;
    throw new BackendError(`${sourceName(file)} is damaged: it cannot be read as a zip archive.`, {
      code: 'file-corrupt',
      cause,
      hint: 'Download or compress it again.',
    });
  }
}

/** System errors such as a full disk are not the archive's fault. */
function isOfTheMachine(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string' && 'syscall' in (error as object);
}

async function listMembers(archive: ZipFile, file: string, size: number): Promise<Entry[]> {
  if (archive.entryCount > mostMembers) throw unfitZip(file, `has more than ${mostMembers} members`, unpackByHand);
  const members: Entry[] = [];
  let [packedBytes, bytes] = [0, 0];
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileName;
    if (name.endsWith('/') || name.startsWith('__MACOSX/') || /(?:^|\/)\.[^/]*$/.test(name)) continue;
    packedBytes += entry.compressedSize;
    bytes += entry.uncompressedSize;
    if (entry.isEncrypted()) throw unfitZip(file, `needs a password for ${quote(name)}`, unpackByHand);
    members.push(entry);
  }
  // Overlapping members can expand a small archive greatly.
  if (packedBytes > size || (bytes > mostBytes && bytes > mostRatio * size))
    throw unfitZip(file, `would grow from ${size} to ${bytes} bytes`, unpackByHand);
  return members;
}

const unpackByHand = 'If you trust it, unpack it with `unzip`, and specify the files.';

async function unpackMember(archive: ZipFile, member: Entry, file: string): Promise<string> {
  const name = `${sourceName(file)}/${member.fileName}`;
  const copy = newSourceCopy(name, sourceName(file));
  const damaged = (why: string, cause?: unknown) =>
    new BackendError(`${name} is damaged: ${why}.`, {
      code: 'file-corrupt',
      cause,
      hint: 'Download or compress it again.',
    });
  let checksum = 0;
  const check = new Transform({
    transform(piece: Buffer, _encoding, done) {
      checksum = crc32(piece, checksum);
      done(null, piece);
    },
  });
  try {
    await pipeline(await archive.openReadStreamPromise(member), check, createWriteStream(copy, { mode: 0o600 }));
  } catch (cause) {
    if (isOfTheMachine(cause)) throw cause;
    throw damaged(cause instanceof Error ? cause.message : 'it cannot be unpacked', cause);
  }
  if (checksum !== member.crc32) throw damaged('its checksum does not match');
  return copy;
}

function unfitZip(file: string, what: string, hint: string): BackendError {
  return new BackendError(`${sourceName(file)} ${what}.`, {
    code: 'zip-unfit',
    hint,
  });
}
