import { statSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { BackendError } from '../../../ask/sluice-error.ts';
import type { Answer, FurtherAnswers, LocalBackend } from '../../backend.ts';
import { followedFunnels, type FunnelFollower } from '../../followed-funnel.ts';
import { placeOf, toLook } from '../../looks.ts';
import { databaseAt, isLog } from '../reading/database/database-path.ts';
import { namedFiles } from '../reading/find-files.ts';
import type { EmbeddedBackend } from './open-embedded.ts';

export interface FollowOptions {
  /** Opens an engine over the current files. */
  readonly open: () => Promise<EmbeddedBackend>;
  /** Paths, patterns and folders of all files that the engine reads. Addresses are not followed. */
  readonly patterns: readonly string[];
  /** The base of relative paths. */
  readonly workingDirectory: string;
}

/** An engine, and the files that it was opened over. */
interface Opened {
  readonly backend: EmbeddedBackend;
  /** Undefined if they could not be listed. */
  files: readonly MarkedFile[] | undefined;
  /** The first and last bytes of files that may grow. */
  ends: ReadonlyMap<string, Ends>;
  /** The number of answers that still read from it. */
  lent: number;
}

/**
 * A backend that answers each question from the files as they are when it is asked. If the files changed, or others
 * match the patterns, a new engine is opened; answers that are being read keep the former one. Lines of JSON that are
 * appended to a file need no new engine. Errors: those of `open`; they end as soon as the files can be read.
 */
export async function followFiles({ open, patterns, workingDirectory }: FollowOptions): Promise<LocalBackend> {
  const look = () => markedFiles(patterns, workingDirectory).catch(() => undefined);
  const all = new Set<Opened>();
  let isClosed = false;
  let changes = 0;
  let hasProperties = false;

  const openAnew = async (): Promise<Opened> => {
    // What changes while the engine opens is noticed by the next question.
    const files = await look();
    const [backend, ends] = await Promise.all([open(), readEnds(files ?? [])]);
    const opened = { backend, files, ends, lent: 0 };
    all.add(opened);
    return opened;
  };
  const close = async (opened: Opened) => {
    if (all.delete(opened)) await opened.backend[Symbol.asyncDispose]();
  };

  let current = await openAnew();

  const check = async (): Promise<Opened> => {
    const files = await look();
    if (files && current.files) {
      if (isSame(files, current.files)) return current;
      if (await hasOnlyGrown(current, files)) {
        Object.assign(current, { files, ends: await readEnds(files) });
        changes += 1;
        return current;
      }
    }
    const next = await openAnew();
    try {
      if (isClosed)
        throw new BackendError('The engine has been closed.', { code: 'engine-closed', hint: 'Open it again.' });
      // Questions that were bound to properties read the column that holds them.
      if (hasProperties) await next.backend.properties([]);
    } catch (error) {
      await close(next);
      throw error;
    }
    const former = current;
    current = next;
    changes += 1;
    if (former.lent === 0) void close(former);
    return next;
  };
  let checking: Promise<Opened> | undefined;
  let following: Promise<Opened> | undefined;
  /** Questions that are asked during a check share the next one, because files may have changed since it began. */
  const renewed = (): Promise<Opened> => {
    following ??= (checking ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        checking = following;
        following = undefined;
        return check();
      });
    return following;
  };

  const hasChanged = async (before: Opened['files'], isAlike: typeof isSame) => {
    const files = await look();
    return !files || !before || !isAlike(files, before);
  };
  /**
   * The work calls `release` once it reads nothing any more. It is done again if it fails while files change, and if
   * files went or were replaced meanwhile: lines that were moved from one file to another might be missing. Throws
   * `file-changed` if they never stay.
   */
  const lend = async <T>(
    work: (backend: EmbeddedBackend, release: () => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      const opened = await renewed();
      const { files } = opened;
      opened.lent += 1;
      let isLent = true;
      const release = () => {
        if (isLent) opened.lent -= 1;
        isLent = false;
        if (opened.lent === 0 && opened !== current) void close(opened);
      };
      const isLast = attempt >= mostAttempts;
      let done: T;
      try {
        done = await work(opened.backend, release);
      } catch (error) {
        release();
        if (isLast || signal?.aborted || !(await hasChanged(files, isSame))) throw error;
        continue;
      }
      if (!(await hasChanged(files, areInPlace))) return done;
      await (done as Partial<AsyncDisposable> | undefined)?.[Symbol.asyncDispose]?.();
      release();
      if (isLast)
        throw new BackendError('The files are replaced faster than they can be read.', {
          code: 'file-changed',
          hint: 'Wait until no program replaces them, and ask again.',
        });
    }
  };
  const ask = <T>(work: (backend: EmbeddedBackend) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    lend(async (backend, release) => {
      const done = await work(backend);
      release();
      return done;
    }, signal);

  const followerOf = async (backend: EmbeddedBackend) => (await backend.further(followedFunnels)) as FunnelFollower;
  const follower: FunnelFollower = {
    follow: (plan, options) =>
      ask(async (backend) => (await followerOf(backend)).follow(plan, options), options?.signal),
    streamUsers: (plan, options) =>
      lend(async (backend, release) => {
        const stream = await (await followerOf(backend)).streamUsers(plan, options);
        return { ...stream, batches: releasing(stream.batches, release) };
      }, options?.signal),
  };

  return {
    name: 'embedded',
    reach: 'local',
    run: (plan, options) =>
      lend(async (backend, release): Promise<Answer> => {
        const answer = await backend.run(plan, options);
        return { ...answer, batches: releasing(answer.batches, release) };
      }, options?.signal),
    runJson: (plan, row, options) =>
      lend(async (backend, release) => {
        const answer = await backend.runJson(plan, row, options);
        if (!answer) release();
        return answer && { ...answer, chunks: releasing(answer.chunks, release) };
      }, options?.signal),
    store: (plan, options) =>
      lend(async (backend, release) => {
        const stored = await backend.store(plan, options);
        if (!stored) release();
        return (
          stored && {
            ...stored,
            async [Symbol.asyncDispose]() {
              await stored[Symbol.asyncDispose]();
              release();
            },
          }
        );
      }, options?.signal),
    async properties(...paths) {
      const found = await ask((backend) => backend.properties(...paths));
      hasProperties = true;
      return found;
    },
    columns: () => ask(async (backend) => (await backend.columns?.()) ?? []),
    renames: () => ask(async (backend) => backend.renames?.()),
    further: async <T>(what: FurtherAnswers<T>) =>
      what.analysis === followedFunnels.analysis ? (follower as T) : current.backend.further(what),
    explain: (plan, options) => ask((backend) => backend.explain(plan, options), options?.signal),
    async changes() {
      await renewed();
      return changes;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await (following ?? checking)?.catch(() => undefined);
      await Promise.all([...all].map(close));
    },
  };
}

async function* releasing<T>(items: AsyncIterable<T>, release: () => void): AsyncGenerator<T, void, undefined> {
  try {
    yield* items;
  } finally {
    release();
  }
}

/** Files that change all the time end the attempts. */
const mostAttempts = 6;

function isSame(files: readonly MarkedFile[], before: readonly MarkedFile[]): boolean {
  return files.length === before.length && files.every(({ path, mark }, at) => matches(before[at]!, path, mark));
}

/** Whether the files of before are still there, and have only grown. A database is read as it is at one moment. */
function areInPlace(files: readonly MarkedFile[], before: readonly MarkedFile[]): boolean {
  const present = new Map(files.map((file) => [file.path, file]));
  return before.every((was) => {
    const file = present.get(was.path);
    if (file?.mark === was.mark || isLog(was.path) || databaseAt(was.path)) return true;
    return file?.place === was.place && file.bytes > was.bytes;
  });
}

function matches(file: MarkedFile, path: string, mark: string): boolean {
  return file.path === path && file.mark === mark;
}

/** Whether the engine reads the files correctly, although lines were appended to some. */
async function hasOnlyGrown({ backend, files: before, ends }: Opened, files: readonly MarkedFile[]): Promise<boolean> {
  if (!before || files.length !== before.length) return false;
  const grown: string[] = [];
  for (const [at, file] of files.entries()) {
    const was = before[at]!;
    if (matches(was, file.path, file.mark)) continue;
    const known = ends.get(file.path);
    if (was.path !== file.path || was.place !== file.place || file.bytes <= was.bytes || !known) return false;
    const found = await readEnd(file.path, was.bytes).catch(() => undefined);
    if (!found?.first.equals(known.first) || !found.last.equals(known.last)) return false;
    grown.push(file.path);
  }
  return backend.mayGrow(grown);
}

/** The first and the last bytes of a file of some size. */
interface Ends {
  readonly first: Buffer;
  readonly last: Buffer;
}

const endBytes = 4096;
/** Those that were changed last. Files that grow beside these take a new engine. */
const mostGrowing = 20;

async function readEnds(files: readonly MarkedFile[]): Promise<ReadonlyMap<string, Ends>> {
  const last = files
    .toSorted((one, other) => other.changed - one.changed)
    .slice(0, mostGrowing)
    // Databases have no lines, and closing one would release locks; see `databaseAt`.
    .filter(({ path }) => !databaseAt(path));
  const found = await Promise.all(
    last.map(async ({ path, bytes }) => [path, await readEnd(path, bytes).catch(() => undefined)] as const),
  );
  return new Map(found.filter((one): one is readonly [string, Ends] => one[1] !== undefined));
}

async function readEnd(path: string, bytes: number): Promise<Ends> {
  await using file = await openFile(path);
  const read = async (from: number, to: number) =>
    (await file.read(Buffer.alloc(to - from), 0, to - from, from)).buffer;
  return {
    first: await read(0, Math.min(endBytes, bytes)),
    last: await read(Math.max(0, bytes - endBytes), bytes),
  };
}

/** A file as it was when it was listed. */
interface MarkedFile {
  readonly path: string;
  /** Changes with the file. */
  readonly mark: string;
  /** Stays when bytes are appended: device and inode. */
  readonly place: string;
  readonly bytes: number;
  /** The last change in epoch milliseconds. */
  readonly changed: number;
}

/**
 * The files that paths, patterns and folders name now, in order, without reading them: an archive stands for itself.
 * Throws as `namedFiles`.
 */
async function markedFiles(patterns: readonly string[], workingDirectory: string): Promise<readonly MarkedFile[]> {
  return (await namedFiles(patterns, workingDirectory)).map((path) => {
    // Synchronous, because another thread would take longer.
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return { path, mark: 'gone', place: '', bytes: 0, changed: 0 };
    return { path, ...toLook(stats, path), place: placeOf(stats), bytes: Number(stats.size) };
  });
}
