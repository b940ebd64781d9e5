import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { listFiles } from '../duckdb/reading/find-files.ts';
import { type Look, noteLook, toLook } from '../looks.ts';
import { manifestPath } from '../store/store-manifest.ts';

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
 * Tells what the places hold by now; undefined if that cannot be told without reading it: addresses, archives, and what
 * cannot be looked at.
 */
export function openDataIdentity({ events, store, now }: DataPlaces): () => Promise<DataIdentity | undefined> {
  const digestOf = openDigest(now);
  return async () => {
    const asked = now();
    try {
      const files = await listFiles(events);
      if (!files) return undefined;
      const looks = files.map(lookAtFile);
      // It changes with the events of a store: it names each of its immutable files, and has a random salt.
      const stored = store === undefined ? '' : await digestOf(manifestPath(store));
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
  };
}

/** The digest of a file, which is read again unless it is the one that was read and did not change just before that. */
function openDigest(now: () => number): (file: string) => Promise<string> {
  let known: { readonly mark: string; readonly digest: string } | undefined;
  return async (file) => {
    const asked = now();
    const { mark, changed } = lookAtFile(file);
    if (known?.mark === mark) return known.digest;
    const digest = hash('sha256', await readFile(file));
    known = asked - changed >= settledMs ? { mark, digest } : undefined;
    return digest;
  };
}

/** At once: to hand it to another thread takes longer. Throws where there is none. */
function lookAtFile(file: string): Look {
  noteLook(file);
  const { mark, changed } = toLook(statSync(file, { bigint: true }));
  return { mark: `${file} ${mark}`, changed };
}
