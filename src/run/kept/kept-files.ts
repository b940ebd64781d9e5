import { open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
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
const tokenName = 'generation';
/** Age at which the writer of a partial file must have ended. */
const partMs = 600_000;
const askedMs = 7 * 86_400_000;
/** Checking the size of all files for each answer would take longer than the answers. */
const answersBetween = 1000;
let parts = 0;

export function openKeptFiles({ folder, now, mostBytes = usualBytes }: KeptFilesOptions): KeptFiles {
  const fileOf = (key: string) => keptPath(folder, key);
  /** What may be written before the folder is checked again, because other processes also write. */
  let room = { bytes: 0, answers: 0 };
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
        room = { bytes: room.bytes - Buffer.byteLength(written), answers: room.answers - 1 };
        if (room.bytes <= 0 || room.answers <= 0)
          room = { bytes: (await makeRoom(folder, mostBytes, now())) / 8, answers: answersBetween };
      } catch {
        await rm(part, { force: true }).catch(() => undefined);
      }
    },
  };
}

/** Removes all answers of a folder, including those being written. `token`: a new unique value. */
export async function forgetKept(folder: string, token: string): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return;
  const file = path.join(folder, tokenName);
  await using handle = await open(file, 'w', ownerOnly.file);
  await handle.writeFile(token);
  for (const name of await readdir(folder)) if (name !== tokenName) await rm(path.join(folder, name), { force: true });
}

async function generationOf(folder: string): Promise<string> {
  return readFile(path.join(folder, tokenName), 'utf8').catch(() => '');
}

/** Returns the number of free bytes. */
async function makeRoom(folder: string, mostBytes: number, now: number): Promise<number> {
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
  for (const { file, bytes } of files.sort((a, b) => a.used - b.used)) {
    if (total <= mostBytes) break;
    await rm(file, { force: true });
    total -= bytes;
  }
  return mostBytes - total;
}
