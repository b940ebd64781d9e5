import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { type OwnProcess, ownProcess } from '../own-process.ts';

/**
 * A folder for temporary files, readable by its owner only. It goes with the process at the latest; what a killed
 * one left,
 * the next one removes.
 */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Folders of this process that are in use. */
const open = new Set<string>();
let sweeping: Promise<void> | undefined;

/** Makes a folder below the system's one for temporary files (`TMPDIR`). Throws as the system does. */
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

/** Whether a path is that of such a folder, also of an earlier version. */
export function isTemporaryFolder(folder: string): boolean {
  return (
    path.dirname(folder) === path.resolve(tmpdir()) &&
    (earlierName.test(path.basename(folder)) || ownName.test(path.basename(folder)))
  );
}

const ownName = /^sluice-(?<owner>\d+-\d+-[0-9a-f]{8})-\w{6}$/;
const earlierName = /^sluice-\w{6}$/;

/** In place of a start time. */
const unknown = '0';

/** Removes the folders of processes of this machine and person that have ended. */
async function sweep(own: OwnProcess): Promise<void> {
  const parent = tmpdir();
  const stale = readdirSync(parent).filter((name) => {
    const owner = ownName.exec(name)?.groups?.['owner'];
    return owner !== undefined && isOwnerGone(own, owner) && isFolderOf(own, path.join(parent, name));
  });
  for (const name of stale) await removeFolder(path.join(parent, name)).catch(() => undefined);
}

/** A folder, no link, of whoever runs this process. */
function isFolderOf({ user }: OwnProcess, folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && (user === undefined || stats.uid === user);
}

/** Names a process among all of all machines and containers: number, start and whereabouts, `4711-8829-1f3a90cc`. */
export function ownerMark({ id }: OwnProcess): string {
  return `${id}-${startOf(id) ?? unknown}-${whereabouts()}`;
}

/** Whether the process of a mark has ended; false for one of another machine or container. */
export function isOwnerGone(own: OwnProcess, mark: string): boolean {
  const [id, started = unknown, where] = mark.split('-');
  return where === whereabouts() && hasEnded(own, Number(id), started);
}

/** A process that started at another time has only got the number of one that has ended. */
function hasEnded(own: OwnProcess, id: number, started: string): boolean {
  if (!own.isAlive(id)) return true;
  const now = startOf(id);
  return now !== undefined && started !== unknown && now !== started;
}

/**
 * When a process started, in ticks since the machine did: field 22 of its `stat`. undefined where the system does not
 * say (proc(5)).
 */
function startOf(id: number): string | undefined {
  try {
    // The name in brackets may hold anything.
    return /^(?:\S+ ){19}(\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'latin1').replace(/^.*\) /s, ''))?.[1];
  } catch {
    return undefined;
  }
}

/** The machine and the container whose numbers of processes these are: a folder for temporary files may be shared. */
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

/** The process is going down, and waits for nothing any more. */
function removeAll(): void {
  for (const folder of open) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {}
  }
}
