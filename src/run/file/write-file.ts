import { type Stats, openSync } from 'node:fs';
import { type FileHandle, access, constants, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { AbortedError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Chunks } from './byte-source.ts';
import { systemReason, unlessMissing } from './system-error.ts';

/**
 * Writes a file that appears complete or not at all. It is written beside its place and synced to disk, and then
 * replaces an older file, whose mode it keeps. Links are followed. Anything but a regular file, such as a pipe, is
 * written into and never replaced. Folders are not created. `mode`: for a new file, reduced by the umask. Errors:
 * `folder-not-found`, `file-is-folder`, `file-unwritable`, `AbortedError`, and an unchanged EPIPE if the reader of a
 * pipe closed it.
 */
export async function writeFileWhole(file: string, chunks: Chunks, signal?: AbortSignal, mode = 0o666): Promise<void> {
  try {
    throwIfAborted(signal);
    const place = await findPlace(file);
    if (place.kind === 'file') await replace(place.path, place.older, chunks, signal, mode);
    else if (place.kind === 'pipe') await writePipe(file, chunks, signal);
    else await writeInto(file, chunks, signal);
  } catch (cause) {
    if (signal?.aborted) throw new AbortedError(signal.reason);
    throw toWriteError(file, cause);
  }
}

async function replace(
  file: string,
  older: Stats | undefined,
  chunks: Chunks,
  signal: AbortSignal | undefined,
  mode: number,
): Promise<void> {
  const unfinished = await openBeside(file, older ? 0o600 : mode);
  try {
    try {
      await writeAll(unfinished.handle, chunks, signal);
      if (older) await takeAfter(unfinished.handle, older);
      // A full disk may only be reported here.
      await unfinished.handle.sync();
    } finally {
      await unfinished.handle.close();
    }
    throwIfAborted(signal);
    await rename(unfinished.path, file);
  } catch (error) {
    await rm(unfinished.path, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A new file with the first free name. Its leading dot hides it from patterns. */
async function openBeside(file: string, mode: number): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  for (let number = 1; ; number++) {
    const beside = path.join(path.dirname(file), `.${path.basename(file).slice(0, 200)}.${number}.part`);
    try {
      return { path: beside, handle: await open(beside, 'wx', mode) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function takeAfter(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  // Only the superuser can change the owner, and should keep it.
  await handle.chown(uid, gid).catch(() => undefined);
  await handle.chmod(mode & 0o777);
}

async function writeInto(file: string, chunks: Chunks, signal: AbortSignal | undefined): Promise<void> {
  await using handle = await open(file, 'r+');
  await writeAll(handle, chunks, signal);
}

async function writeAll(handle: FileHandle, chunks: Chunks, signal: AbortSignal | undefined): Promise<void> {
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    // Unlike `write`, this continues until every byte is written.
    await handle.writeFile(chunk);
  }
}

function toWriteError(file: string, cause: unknown): unknown {
  if (cause instanceof SluiceError || !isSystemError(cause) || cause.code === 'EPIPE') return cause;
  return new SluiceError(`${file} cannot be written: ${systemReason(cause)}.`, {
    code: 'file-unwritable',
    cause,
    hint: 'Check the permissions and the disk space of the file and its folder.',
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/**
 * The target of a path: a regular file, possibly replacing an older one; a pipe; or a device, which is written
 * directly.
 */
type WriteTarget =
  | { readonly kind: 'file'; readonly path: string; readonly older: Stats | undefined }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'device' };

/** Resolves the target of a path through links. Errors: `folder-not-found`, `file-is-folder`, and system errors. */
async function findPlace(file: string): Promise<WriteTarget> {
  const there = await unlessMissing(stat(file));
  if (!there) return { kind: 'file', path: await newPath(file), older: undefined };
  if (there.isDirectory())
    throw new SluiceError(`${file} is a folder.`, { code: 'file-is-folder', hint: 'Specify a file in it.' });
  if (there.isFIFO()) return { kind: 'pipe' };
  // A rename would bypass the file's own protection.
  await access(file, constants.W_OK);
  return there.isFile() ? { kind: 'file', path: await realpath(file), older: there } : { kind: 'device' };
}

/** The path itself, or the target of a link there, which does not exist yet. */
async function newPath(file: string): Promise<string> {
  const folder = await unlessMissing(realpath(path.dirname(file)));
  if (folder === undefined || !(await stat(folder)).isDirectory()) {
    throw new SluiceError(`Cannot write ${path.basename(file)}: the folder ${path.dirname(file)} does not exist.`, {
      code: 'folder-not-found',
      hint: 'Create it first, or correct the path.',
    });
  }
  const link = await readlink(file).catch(() => undefined);
  return link === undefined ? path.join(folder, path.basename(file)) : newPath(path.resolve(folder, link));
}

/** Writes into a named pipe once it has a reader, at the reader's pace. */
async function writePipe(file: string, chunks: Chunks, signal: AbortSignal | undefined): Promise<void> {
  const until = signal ? { signal } : {};
  const pipe = new Socket({ fd: await openPipe(file, until), readable: false, writable: true });
  await pipeline(Readable.from(chunks), pipe, until);
}

/** Polls, because an `open` that waits for a reader would block a thread and the end of the process. */
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

/** Syncs the contents of a file to disk. */
export async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.sync();
}

/** Syncs a folder's entries to disk, such as new and renamed files. */
export async function syncFolder(folder: string): Promise<void> {
  // Some systems do not allow opening a folder.
  const handle = await open(folder, 'r').catch(() => undefined);
  if (!handle) return;
  await handle.sync().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL' && error.code !== 'EPERM') throw error;
  });
  await handle.close();
}
