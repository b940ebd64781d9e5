import { type BigIntStats, statSync } from 'node:fs';

/** The state of a file or folder when it was checked. */
export interface Look {
  /** Changes when the file, or the folder's list of entries, changes. */
  readonly mark: string;
  /** The last change in epoch milliseconds; 0 if it does not exist. */
  readonly changed: number;
}

let looks: Map<string, Look> | undefined;
let isSeen = true;

/**
 * Starts recording the files that this process checks. For processes that run one command. Returns undefined if
 * something was checked that cannot be recorded.
 */
export function watchLooks(): () => ReadonlyMap<string, Look> | undefined {
  const noted = new Map<string, Look>();
  looks = noted;
  isSeen = true;
  return () => (isSeen ? noted : undefined);
}

/**
 * Call it before checking a file or folder that an answer depends on. undefined if it depends on more than can be
 * named.
 */
export function noteLook(place: string | undefined): void {
  if (place === undefined) isSeen = false;
  else if (looks && !looks.has(place)) looks.set(place, lookAt(place));
}

/** The current state, or the reason why there is none. */
export function lookAt(place: string): Look {
  try {
    return toLook(statSync(place, { bigint: true }), place);
  } catch (error) {
    return { mark: String((error as NodeJS.ErrnoException).code), changed: 0 };
  }
}

/**
 * Programs can set back a file's modification time, but not the change time of its entry. The latter does not count for
 * logs of SQLite, because SQLite also sets it when it reads.
 */
export function toLook(stats: BigIntStats, place: string): Look {
  const { dev, ino, size, mtimeNs, mtimeMs, ctimeMs } = stats;
  if (place.endsWith('-wal')) return { mark: [dev, ino, size, mtimeNs].join(' '), changed: Number(mtimeMs) };
  return { mark: markOf(stats), changed: Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) };
}

/** What all links to a file have in common, however it changes. */
export function placeOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}

/** Differs if the bytes differ: from file, size, and times of change. */
export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
