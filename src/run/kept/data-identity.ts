import { stat } from 'node:fs/promises';
import { listFiles } from '../duckdb/reading/find-files.ts';
import { storeIdentity } from '../store/store-manifest.ts';
import { type Look, noteLook, toLook } from '../looks.ts';

/** What an answer was computed from. Two of the same text are the same bytes. */
export interface DataIdentity {
  readonly text: string;
  /** Its files apart: an engine reads those that were there when it was opened. */
  readonly files: string;
  /** Nothing in it changed so lately that the next change could go unnoticed. */
  readonly isSettled: boolean;
}

export interface DataPlaces {
  /** Absolute paths, patterns and folders of event files. */
  readonly events: readonly string[];
  /** The folder of a store. */
  readonly store: string | undefined;
  /** Epoch milliseconds of the machine. */
  readonly now: () => number;
}

/** The coarsest file systems note times by two seconds. */
export const settledMs = 2_000;

/**
 * What the places hold by now; undefined if that cannot be told without reading it: addresses, archives, and what
 * cannot be looked at.
 */
export async function dataIdentity({ events, store, now }: DataPlaces): Promise<DataIdentity | undefined> {
  const asked = now();
  try {
    const files = await listFiles(events);
    if (!files) return undefined;
    const looks = await Promise.all(files.map(lookAtFile));
    const stored = store === undefined ? '' : await storeIdentity(store);
    if (stored === undefined) return undefined;
    const marks = JSON.stringify(looks.map(({ mark }) => mark));
    return {
      text: JSON.stringify([marks, store, stored]),
      files: marks,
      isSettled: looks.every(({ changed }) => asked - changed >= settledMs),
    };
  } catch {
    // Whoever reads the data tells what is wrong with it.
    return undefined;
  }
}

async function lookAtFile(file: string): Promise<Look> {
  noteLook(file);
  const { mark, changed } = toLook(await stat(file, { bigint: true }));
  return { mark: `${file} ${mark}`, changed };
}
