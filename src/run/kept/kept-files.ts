import { appendFile, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, ownerOnly } from '../file/owner-only.ts';
import { ownProcess } from '../own-process.ts';
import { askedEnding, decodeKept, encodeKept, fingerprint, type KeptText, keptEnding, keptPath } from './kept-text.ts';

interface KeptFilesOptions {
  /** Absolute path. Created with the first answer. */
  readonly folder: string;
  /** Epoch milliseconds of the machine. */
  readonly now: () => number;
  /** Maximum total size of all answers in bytes. The least recently used answer is removed first. */
  readonly mostBytes?: number | undefined;
  /** Maximum number of answers. */
  readonly mostAnswers?: number | undefined;
}

/** Texts by key that outlive the process. Never rejects: what cannot be stored is skipped. */
export interface KeptFiles {
  /** Returns only a complete text stored under exactly this key. */
  read(key: string): Promise<KeptText | undefined>;
  /** Changes when all answers are removed. Read it before inspecting the data, and pass it to `write`. */
  generation(): Promise<string>;
  /** Does nothing if all answers were removed since `generation` was read. */
  write(key: string, kept: KeptText, generation: string): Promise<void>;
}

const usualBytes = 256 * 2 ** 20;
const usualAnswers = 10_000;
const tokenName = 'generation';
/**
 * The bytes that may be written until the next check and the time of the last one, then the bytes of each answer since.
 */
const roomName = 'room';
/** Age at which the writer of a partial file must have ended. */
const partMs = 600_000;
const askedMs = 7 * 86_400_000;
/** Checking the size of all files for each answer would take longer than the answers. */
const answersBetween = 1000;
const mostBetweenMs = 86_400_000;
let parts = 0;

export function openKeptFiles(options: KeptFilesOptions): KeptFiles {
  const { folder, now, mostBytes = usualBytes } = options;
  const fileOf = (key: string) => keptPath(folder, key);
  return {
    async read(key) {
      const file = fileOf(key);
      const written = await readFile(file, 'utf8').catch(() => undefined);
      const kept = written === undefined ? undefined : decodeKept(written, key);
      if (kept) await utimes(file, now() / 1000, now() / 1000).catch(() => undefined);
      return kept;
    },
    generation: () => generationOf(folder),
    async write(key, kept, before) {
      const written = encodeKept(key, kept);
      if (Buffer.byteLength(written) > mostBytes / 4) return;
      const part = path.join(folder, `.${fingerprint(key)}.${ownProcess()?.id ?? 0}.${(parts += 1)}.part`);
      try {
        await makeOwnFolder(folder);
        await using handle = await open(part, 'wx', ownerOnly.file);
        await handle.writeFile(written);
        await rename(part, fileOf(key));
        // An answer must not reappear after a removal.
        if ((await generationOf(folder)) !== before) await rm(fileOf(key), { force: true });
        else await takeRoom(options, Buffer.byteLength(written));
      } catch {
        await rm(part, { force: true }).catch(() => undefined);
      }
    },
  };
}

/** Removes all answers of a folder, including those being written. `token`: a new unique value. */
export async function forgetKept(folder: string, token: string): Promise<void> {
  // A process that has begun to write the first answer must find the token, too.
  await makeOwnFolder(folder).catch(() => undefined);
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return;
  const file = path.join(folder, tokenName);
  await using handle = await open(file, 'w', ownerOnly.file);
  await handle.writeFile(token);
  for (const name of await readdir(folder))
    if (name !== tokenName) await rm(path.join(folder, name), { force: true, recursive: true });
}

async function generationOf(folder: string): Promise<string> {
  return readFile(path.join(folder, tokenName), 'utf8').catch(() => '');
}

/** Processes count together what they write, so that many short ones check the folder as rarely as a long one. */
async function takeRoom(options: KeptFilesOptions, bytes: number): Promise<void> {
  const file = path.join(options.folder, roomName);
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const [[free = 0, checked = 0] = [], ...answers] = lines.map((line) => line.split(' ').map(Number));
  const left = answers.reduce((rest, [taken = 0]) => rest - taken, free - bytes);
  const isRecent = Math.abs(options.now() - checked) < mostBetweenMs;
  if (left > 0 && answers.length < answersBetween && isRecent)
    await appendFile(file, `${bytes}\n`, { mode: ownerOnly.file });
  else await writeFile(file, `${(await makeRoom(options)) / 8} ${options.now()}\n`, { mode: ownerOnly.file });
}

/** Returns the number of free bytes. */
async function makeRoom(options: KeptFilesOptions): Promise<number> {
  const { folder, mostBytes = usualBytes, mostAnswers = usualAnswers } = options;
  const now = options.now();
  const files = [];
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found) continue;
    if (
      name.endsWith(askedEnding)
        ? now - found.mtimeMs > askedMs
        : name.endsWith('.part') && now - found.mtimeMs > partMs
    )
      await rm(file, { force: true });
    else if (name.endsWith(keptEnding)) files.push({ file, bytes: found.size, used: found.mtimeMs });
  }
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let answers = files.length;
  for (const { file, bytes } of files.sort((a, b) => a.used - b.used)) {
    if (total <= mostBytes && answers <= mostAnswers) break;
    await rm(file, { force: true });
    total -= bytes;
    answers -= 1;
  }
  return mostBytes - total;
}
