import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { type OwnProcess, ownProcess } from '../own-process.ts';

/**
 * A folder for temporary files, readable only by its owner. It is removed when the process ends. If the process is
 * killed, the next one removes it.
 */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Folders in use by this process. */
const open = new Set<string>();
let sweeping: Promise<void> | undefined;

/** Creates a folder in the system's temporary folder (`TMPDIR`). Throws system errors. */
export function makeTemporaryFolder(): TemporaryFolder {
  const own = ownProcess();
  const owner = own === undefined ? '' : `${ownerMark(own)}-`;
  const folder = mkdtempSync(path.join(tmpdir(), `sluice-${owner}`));
  open.add(folder);
  if (!sweeping) own?.atExit(removeAll);
  sweeping ??= own && sweep(own).catch(() => undefined);
  return {
    path: folder,
    async [Symbol.asyncDispose]() {
      await Promise.all([removeFolder(folder), sweeping]);
      open.delete(folder);
    },
  };
}

/** True if a path is such a folder, also of an earlier version. */
export function isTemporaryFolder(folder: string): boolean {
  return (
    path.dirname(folder) === path.resolve(tmpdir()) &&
    (earlierName.test(path.basename(folder)) || ownName.test(path.basename(folder)))
  );
}

const ownName = /^sluice-(?<owner>\d+-\d+-[0-9a-f]{8})-\w{6}$/;
const earlierName = /^sluice-\w{6}$/;

/** Replaces an unknown start time. */
const unknown = '0';

/** Removes the folders of ended processes of this machine and user. */
async function sweep(own: OwnProcess): Promise<void> {
  const parent = tmpdir();
  const stale = readdirSync(parent).filter((name) => {
    const owner = ownName.exec(name)?.groups?.['owner'];
    return owner !== undefined && isOwnerGone(own, owner) && isFolderOf(own, path.join(parent, name));
  });
  for (const name of stale) await removeFolder(path.join(parent, name)).catch(() => undefined);
}

/** True for a folder, not a link, that the current user owns. */
function isFolderOf({ user }: OwnProcess, folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && (user === undefined || stats.uid === user);
}

/** Identifies a process across machines and containers by number, start and location: `4711-8829-1f3a90cc`. */
export function ownerMark({ id }: OwnProcess): string {
  return `${id}-${startOf(id) ?? unknown}-${whereabouts()}`;
}

/** True if the process of a mark has ended; false for processes of other machines or containers. */
export function isOwnerGone(own: OwnProcess, mark: string): boolean {
  const [id, started = unknown, where] = mark.split('-');
  return where === whereabouts() && hasEnded(own, Number(id), started);
}

/** A process with another start time has only reused the number of an ended one. */
function hasEnded(own: OwnProcess, id: number, started: string): boolean {
  if (!own.isAlive(id)) return true;
  const now = startOf(id);
  return now !== undefined && started !== unknown && now !== started;
}

/**
 * The start time of a process, in ticks since boot: field 22 of its `stat`. undefined if the system does not provide it
 * (proc(5)).
 */
function startOf(id: number): string | undefined {
  try {
    // The name in brackets may contain anything.
    return /^(?:\S+ ){19}(\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'latin1').replace(/^.*\) /s, ''))?.[1];
  } catch {
    return undefined;
  }
}

/** Identifies the machine and container of a process number, because temporary folders may be shared. */
function whereabouts(): string {
  let hash = 0x811c9dc5;
  for (const letter of `${hostname()} ${processSpace()}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** The process is exiting, so remove synchronously. */
function removeAll(): void {
  for (const folder of open) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {}
  }
}
