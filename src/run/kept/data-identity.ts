import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { listFiles } from '../duckdb/reading/find-files.ts';
import { type Look, noteLook, toLook } from '../looks.ts';
import { manifestPath } from '../store/store-manifest.ts';

/** The identity of the data behind an answer. Equal texts mean equal bytes. */
export interface DataIdentity {
  readonly text: string;
  /** The part for files: an engine reads the files that existed when it was opened. */
  readonly files: string;
  /** True if nothing changed so recently that a further change could go unnoticed. */
  readonly isSettled: boolean;
}

interface DataPlaces {
  /** Absolute paths, patterns and folders of event files. */
  readonly events: readonly string[];
  /** The folder of a store. */
  readonly store: string | undefined;
  /** Epoch milliseconds of the machine. */
  readonly now: () => number;
}

/** The coarsest file systems store times in steps of two seconds. */
export const settledMs = 2_000;

/**
 * Determines the current identity of the data. undefined if that would require reading the data (addresses, archives)
 * or if files cannot be inspected.
 */
export function openDataIdentity({ events, store, now }: DataPlaces): () => Promise<DataIdentity | undefined> {
  const digestOf = openDigest(now);
  return async () => {
    const asked = now();
    try {
      const files = await listFiles(events);
      if (!files) return undefined;
      const looks = files.map(lookAtFile);
      // The manifest changes with the store's events: it names each of the immutable files and contains a random salt.
      const stored = store === undefined ? '' : await digestOf(manifestPath(store));
      const marks = JSON.stringify(looks.map(({ mark }) => mark));
      return {
        text: JSON.stringify([marks, store, stored]),
        files: marks,
        isSettled: looks.every(({ changed }) => asked - changed >= settledMs),
      };
    } catch {
      // The reader of the data reports the error.
      return undefined;
    }
  };
}

/** The digest of a file. It is cached while the file is unchanged and was not changed just before it was read. */
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

/** Synchronous, because another thread would take longer. Throws if the file does not exist. */
function lookAtFile(file: string): Look {
  noteLook(file);
  const { mark, changed } = toLook(statSync(file, { bigint: true }), file);
  return { mark: `${file} ${mark}`, changed };
}
