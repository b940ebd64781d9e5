import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import { readLineBytes } from '../../../run/file/line-bytes.ts';
import { makeOwnFolder, ownerOnly } from '../../../run/file/owner-only.ts';
import { syncFolder } from '../../../run/file/write-file.ts';
import { systemReason } from '../../../run/file/system-error.ts';
import { takeLock } from '../../../run/file/take-lock.ts';
import { thisProcess } from '../../process/this-process.ts';

/** A stored delivery: one line of JSON in the file of its day. */
export interface Delivery {
  /** The `webhook-id` or `Idempotency-Key`, which retries repeat. */
  readonly id: string;
  /** UTC, ISO 8601 with milliseconds. */
  readonly received: string;
  /** The event header, such as `Push Hook`. */
  readonly event: string | null;
  /** URL of the platform that sent it. */
  readonly instance: string | null;
  /** The original JSON text. Stored as text, so that the columns of a file do not depend on its event types. */
  readonly body: string;
}

/** Stores deliveries in a folder, one file for each day (UTC): `2026-05-01.ndjson`. Each ID is stored once. */
export interface Deliveries extends AsyncDisposable {
  /**
   * Resolves when the delivery is on disk; with false if it was stored before. Throws `file-unwritable`; the delivery
   * is then not stored and can be sent again.
   */
  keep(delivery: Delivery): Promise<boolean>;
}

interface Waiting {
  readonly delivery: Delivery;
  readonly key: string;
  readonly done: PromiseWithResolvers<void>;
}

interface Segment {
  readonly file: FileHandle;
  /** Bytes of complete lines on disk. Later bytes were not acknowledged. */
  length: number;
  /** Whether a failed write may have left bytes after them. */
  isTorn: boolean;
}

const segmentName = /^\d{4}-\d\d-\d\d\.ndjson$/;
const newline = 10;

/**
 * Opens the deliveries in a folder, and creates it if it is missing. Removes the incomplete last line of a killed
 * process, which was never acknowledged. Lines that are not deliveries are reported to `onFault` and kept. Throws
 * `listener-taken` if another process writes there, `listener-lock-damaged`, `file-unwritable`.
 */
export async function openDeliveries(folder: string, onFault: (error: unknown) => void): Promise<Deliveries> {
  const lock = await openLock(folder);
  const segments = new Map<string, Segment>();
  /** Deliveries on disk, or being written. */
  const known = new Map<string, Promise<void>>();
  const onDisk = Promise.resolve();
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let closed = false;

  const close = async () => {
    for (const { file } of segments.values()) await file.close();
    segments.clear();
    lock[Symbol.dispose]();
  };

  const segmentOf = async (day: string): Promise<Segment> => {
    const there = segments.get(day);
    // Writes to a deleted file are lost.
    if (there && (await there.file.stat()).nlink > 0) return there;
    // Close older days. The last two may both be written around midnight.
    for (const [other, { file, isTorn }] of [...segments].slice(0, -1)) {
      if (isTorn) continue;
      segments.delete(other);
      await file.close();
    }
    segments.delete(day);
    await there?.file.close();
    const segment = await openSegment(path.join(folder, `${day}.ndjson`));
    await syncFolder(folder);
    segments.set(day, segment);
    return segment;
  };

  /** Writes waiting deliveries with one sync per day until none wait, so that a burst shares its syncs. */
  const writeAll = async () => {
    while (waiting.length > 0) {
      const batch = Map.groupBy(waiting, ({ delivery }) => delivery.received.slice(0, 10));
      waiting = [];
      for (const [day, part] of batch) {
        try {
          await append(await segmentOf(day), part.map(({ delivery }) => `${JSON.stringify(delivery)}\n`).join(''));
          for (const { done } of part) done.resolve();
        } catch (cause) {
          for (const { key, done } of part) {
            known.delete(key);
            done.reject(unwritable(folder, cause));
          }
        }
      }
    }
    writing = undefined;
  };

  try {
    const names = (await readdir(folder)).filter((name) => segmentName.test(name)).toSorted();
    for (const name of names) {
      const file = path.join(folder, name);
      // A repeated ID is acknowledged at once, so its line must be complete and on disk.
      await using segment = (await openSegment(file)).file;
      await segment.sync();
      const damaged = await readIds(file, (id) => known.set(keyOf(id), onDisk));
      if (damaged > 0)
        onFault(
          new SluiceError(
            `${file} contains ${damaged} ` +
              `${damaged === 1 ? 'line that is no delivery' : 'lines that are no deliveries'}.`,
            { code: 'deliveries-damaged', hint: 'Correct or remove these lines; the others are used.' },
          ),
        );
    }
  } catch (cause) {
    await close();
    throw unwritable(folder, cause);
  }

  return {
    async keep(delivery) {
      const key = keyOf(delivery.id);
      const before = known.get(key);
      if (before) {
        await before;
        return false;
      }
      if (closed) throw new AbortedError('The listener is closed.');
      const done = Promise.withResolvers<void>();
      known.set(key, done.promise);
      waiting.push({ delivery, key, done });
      writing ??= Promise.resolve().then(writeAll);
      await done.promise;
      // Replace the promise to save memory.
      known.set(key, onDisk);
      return true;
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      await writing;
      await close();
    },
  };
}

async function openLock(folder: string): Promise<Disposable> {
  try {
    await makeOwnFolder(folder);
    const taken = await takeLock(path.join(folder, 'lock'), { holder: thisProcess, what: 'listener' });
    if (taken.kind === 'held') return taken;
    throw new SluiceError(`${taken.holder} already receives webhooks in ${folder}.`, {
      code: 'listener-taken',
      hint: 'Stop the other one, or use another workspace.',
    });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/** Shortens an ID to 16 bytes of its hash, because IDs may be long. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest().toString('latin1', 0, 16);
}

/** Opens the file of a day for appending, and removes an incomplete last line. */
async function openSegment(name: string): Promise<Segment> {
  const file = await open(name, 'a+', ownerOnly.file);
  try {
    const { size } = await file.stat();
    const start = await lastLineStart(file, size);
    if (start === size) return { file, length: size, isTorn: false };
    const last = Buffer.alloc(size - start);
    await file.read(last, 0, last.length, start);
    // The line is a complete delivery: only its line feed is missing.
    if (idOf(last) !== undefined) await file.appendFile('\n');
    else await file.truncate(start);
    await file.sync();
    return { file, length: (await file.stat()).size, isTorn: false };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the offset after the last line feed. */
async function lastLineStart(file: FileHandle, size: number): Promise<number> {
  const room = Buffer.alloc(1 << 16);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - room.length);
    const { bytesRead } = await file.read(room, 0, end - start, start);
    const at = room.subarray(0, bytesRead).lastIndexOf(newline);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

async function append(segment: Segment, lines: string): Promise<void> {
  if (segment.isTorn) await segment.file.truncate(segment.length);
  segment.isTorn = true;
  const bytes = Buffer.from(lines);
  try {
    await segment.file.appendFile(bytes);
    await segment.file.sync();
  } catch (error) {
    // If this fails as well, the next delivery truncates before writing.
    await segment.file.truncate(segment.length).then(
      () => (segment.isTorn = false),
      () => undefined,
    );
    throw error;
  }
  segment.length += bytes.length;
  segment.isTorn = false;
}

/** Reads the IDs of a file. Resolves with the number of lines without one. */
async function readIds(file: string, onId: (id: string) => void): Promise<number> {
  let damaged = 0;
  for await (const piece of readLineBytes(file)) {
    for (let start = 0; start < piece.length; ) {
      const at = piece.indexOf(newline, start);
      const end = at < 0 ? piece.length : at;
      const id = idOf(piece.subarray(start, end));
      if (id !== undefined) onId(id);
      else if (end > start) damaged += 1;
      start = end + 1;
    }
  }
  return damaged;
}

function idOf(line: Buffer): string | undefined {
  try {
    const read = JSON.parse(line.toString('utf8')) as unknown;
    return typeof read === 'object' && read !== null && 'id' in read && typeof read.id === 'string'
      ? read.id
      : undefined;
  } catch {
    return undefined;
  }
}

function unwritable(folder: string, cause: unknown): unknown {
  if (cause instanceof SluiceError) return cause;
  return new SluiceError(`${folder} cannot be written: ${systemReason(cause as NodeJS.ErrnoException)}.`, {
    code: 'file-unwritable',
    cause,
    hint: 'Check the permissions and the disk space of the folder.',
  });
}
