import { type BigIntStats, statSync } from 'node:fs';

/** What a file or folder was when it was looked at. */
export interface Look {
  /** Another text once the file, or the list of the folder, changes. */
  readonly mark: string;
  /** When it last changed, epoch milliseconds; 0 if it is not there. */
  readonly changed: number;
}

let looks: Map<string, Look> | undefined;
let isSeen = true;

/**
 * From now on this process notes what it looks at. For a process of one command. undefined: it has looked at something
 * that cannot be noted.
 */
export function watchLooks(): () => ReadonlyMap<string, Look> | undefined {
  const noted = new Map<string, Look>();
  looks = noted;
  isSeen = true;
  return () => (isSeen ? noted : undefined);
}

/** Goes before every look at a file or folder that an answer depends on; undefined: at more than one can name. */
export function noteLook(place: string | undefined): void {
  if (place === undefined) isSeen = false;
  else if (looks && !looks.has(place)) looks.set(place, lookAt(place));
}

/** What is there by now, or why nothing is seen there. */
export function lookAt(place: string): Look {
  try {
    return toLook(statSync(place, { bigint: true }));
  } catch (error) {
    return { mark: String((error as NodeJS.ErrnoException).code), changed: 0 };
  }
}

/** Programs can set the time of change back, but not that of the last change of the entry itself. */
export function toLook(stats: BigIntStats): Look {
  const { mtimeMs, ctimeMs } = stats;
  return { mark: markOf(stats), changed: Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) };
}

/** Another text for other bytes: the file itself, its size, and when it changed. */
export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
