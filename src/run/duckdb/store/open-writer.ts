import { rm } from 'node:fs/promises';
import { availableParallelism, freemem } from 'node:os';
import path from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { writeOwnFile } from '../../file/owner-only.ts';
import { syncFile, syncFolder } from '../../file/write-file.ts';
import { openScratchNote } from '../../store/scratch-note.ts';
import { projectionFiles, projectionPath } from '../../store/projection-files.ts';
import { readSources, type StoreSource, writeSources } from '../../store/store-contents.ts';
import { lockStore } from '../../store/store-lock.ts';
import {
  damagedStore,
  manifestPath,
  readManifest,
  type Segment,
  segmentPath,
  type StoreManifest,
  writeManifest,
} from '../../store/store-manifest.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { interruptible } from '../engine/run-statement.ts';
import { withIdHashes } from './id-hashes.ts';
import { toStoreError } from './store-error.ts';
import { demandOwnFolder, rejectedFolder, sweepStore } from './sweep-store.ts';
import { writeProjections } from './write-projections.ts';

export interface WriterOptions {
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Random letters and digits, unique and not guessable, for names and for salt. */
  readonly randomText: () => string;
  /** Who writes, for those who wait: `process 4711 (node)`. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
  /** Told once, where another writer is at work: who it is. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** As DuckDB writes it; by default 256 MiB and as much again for each thread, 160 where little is free. */
  readonly memoryLimit?: string | undefined;
  readonly threads?: number | undefined;
  /** The time zone in which people ask: the days of users are kept in it, and in UTC. */
  readonly zone?: string | undefined;
  /** So many bytes of files are taken in. */
  readonly bytes?: number | undefined;
}

/** What a commit makes of a store. */
export interface StoreChange {
  readonly segments: readonly Segment[];
  readonly sources: readonly StoreSource[];
  readonly nextSource?: number;
  readonly forgotten?: readonly string[];
  /** Events go that were there before. */
  readonly removes?: boolean;
}

/** The one writer of a store. */
export interface StoreWriter extends AsyncDisposable {
  readonly folder: string;
  readonly zone: string | undefined;
  readonly engine: Engine;
  readonly manifest: StoreManifest;
  readonly sources: readonly StoreSource[];
  readonly signal: AbortSignal | undefined;
  /** Rows of a statement; stops with the signal. */
  rows(text: string, parameters?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
  freshName(ending: string): string;
  /** Makes the change the present of the store, at once and for good, and removes what it does not name any more. */
  commit(change: StoreChange): Promise<void>;
}

/**
 * Of DuckDB where there is much to do, unless the caller says: all cores, but never as few as the files of one read. It shares out the parts of a
 * file among its threads only where there are fewer files than threads, and a file is read with one of hints before it.
 */
function usualThreads(): number {
  return Math.max(3, availableParallelism());
}

/**
 * Enough for every statement here, as each thread reads, sorts and writes by itself; past it the engine puts aside on
 * disk. With less than `amply` for each, only one of them packs what a file of rows is made of.
 */
function usualMemory(threads: number): string {
  const [least, amply] = [160, 256].map((each) => each * (1 + threads)) as [number, number];
  return `${Math.max(least, Math.min(amply, Math.floor(freemem() / 4 / 2 ** 20)))}MiB`;
}

/**
 * Opens a store for writing: waits for its turn, sweeps what others left, and makes the folder if there is none.
 * Whatever was written and not committed goes away with it. Errors: `store-unwritable`, `disk-full`, `store-foreign`,
 * `store-damaged`, `store-too-new`, `AbortedError`.
 */
export async function openWriter(options: WriterOptions): Promise<StoreWriter> {
  const { folder, signal } = options;
  throwIfAborted(signal);
  const toClose: (() => PromiseLike<void>)[] = [];
  const close = async (): Promise<void> => {
    const step = toClose.pop();
    if (step) await Promise.resolve(step()).finally(close);
  };
  try {
    // A store that cannot be read is not to be swept.
    if (!(await readManifest(folder))) await demandOwnFolder(folder);
    const threads = options.threads ?? { upTo: usualThreads() };
    const memoryLimit = options.memoryLimit ?? usualMemory(typeof threads === 'object' ? threads.upTo : threads);
    const engine = await openEngine({ threads, memoryLimit });
    toClose.push(() => engine[Symbol.asyncDispose]());
    const lock = await lockStore(options);
    toClose.push(async () => lock[Symbol.dispose]());
    const note = await openScratchNote(folder, engine.folder);
    toClose.push(() => note[Symbol.asyncDispose]());
    const read = await readManifest(folder);
    await engine.widen((read?.segments ?? []).reduce((sum, { bytes }) => sum + bytes, options.bytes ?? 0));
    let manifest = read ?? {
      revision: 0,
      time: writeUtc(options.now()),
      segments: [],
      nextSource: 1,
      salt: options.randomText() + options.randomText(),
      forgotten: [],
    };
    let sources = read ? await readSources(folder, read) : [];
    if (!sources) throw damagedStore(folder, `${read?.ledger ?? ''} is missing`);
    if (!read) {
      // From now on what lies here is a store's: without its manifest it has lost something.
      await demandOwnFolder(folder);
      await writeOwnFile(manifestPath(folder), [writeManifest(manifest)]);
    }
    await sweepStore(folder, manifest, sources);
    toClose.push(() => sweepPresent(folder));

    const commit = async (change: StoreChange) => {
      const written = await writeProjections(
        writer,
        {
          segments: change.segments,
          before: manifest.segments,
          projections: manifest.projections,
          removes: change.removes === true,
        },
        signal,
      );
      const segments = await withIdHashes(writer, written.segments);
      const next: StoreManifest = {
        ...manifest,
        revision: manifest.revision + 1,
        time: writeUtc(options.now()),
        segments,
        projections: written.projections,
        nextSource: change.nextSource ?? manifest.nextSource,
        forgotten: change.forgotten ?? manifest.forgotten,
        ledger:
          change.sources === sources
            ? manifest.ledger
            : `sources-${manifest.revision + 1}-${options.randomText()}.ndjson`,
      };
      throwIfAborted(signal);
      const before = new Set(manifest.segments.map(({ name }) => name));
      for (const segment of next.segments) if (!before.has(segment.name)) await syncFile(segmentPath(folder, segment));
      await syncFolder(path.join(folder, 'segments'));
      const projected = new Set(projectionFiles(manifest).map(({ name }) => name));
      for (const file of projectionFiles(next))
        if (!projected.has(file.name)) await syncFile(projectionPath(folder, file));
      await syncFolder(path.join(folder, 'projections'));
      if (next.ledger !== undefined && next.ledger !== manifest.ledger)
        await writeOwnFile(path.join(folder, next.ledger), [writeSources(change.sources)]);
      await syncFolder(folder);
      await writeOwnFile(manifestPath(folder), [writeManifest(next)]);
      await syncFolder(folder);
      const old = { manifest, sources };
      manifest = next;
      sources = change.sources;
      await removeOld(folder, old.manifest, next, old.sources ?? [], sources);
    };

    const writer: StoreWriter = {
      folder,
      zone: options.zone,
      engine,
      signal,
      commit: (change) => commit(change).catch(refuse),
      get manifest() {
        return manifest;
      },
      get sources() {
        return sources ?? [];
      },
      rows: (text, parameters) =>
        engine.work((connection) =>
          interruptible(connection, signal, async () =>
            (await connection.run(text, parameters && [...parameters])).getRows(),
          ),
        ),
      freshName: (ending) => `${String(manifest.revision + 1).padStart(6, '0')}-${options.randomText()}${ending}`,
      [Symbol.asyncDispose]: () => close().catch(refuse),
    };
    return writer;
  } catch (error) {
    await close().catch(() => undefined);
    return refuse(error);
  }

  function refuse(error: unknown): never {
    throw toStoreError(error, folder, signal);
  }
}

/** What the disk says counts: a commit may have failed after it was done. */
async function sweepPresent(folder: string): Promise<void> {
  const manifest = await readManifest(folder);
  const sources = manifest ? await readSources(folder, manifest) : [];
  if (sources) await sweepStore(folder, manifest, sources);
  // Nothing has ever been committed.
  if (manifest?.revision === 0) await rm(manifestPath(folder));
}

async function removeOld(
  folder: string,
  old: StoreManifest,
  next: StoreManifest,
  oldSources: readonly StoreSource[],
  sources: readonly StoreSource[],
): Promise<void> {
  const names = new Set(next.segments.map(({ name }) => name));
  for (const segment of old.segments)
    if (!names.has(segment.name)) await rm(segmentPath(folder, segment), { force: true });
  const projected = new Set(projectionFiles(next).map(({ name }) => name));
  for (const file of projectionFiles(old))
    if (!projected.has(file.name)) await rm(projectionPath(folder, file), { force: true });
  if (old.ledger !== undefined && old.ledger !== next.ledger) await rm(path.join(folder, old.ledger), { force: true });
  const rejected = new Set(sources.map(({ rejectedFile }) => rejectedFile));
  for (const { rejectedFile } of oldSources) {
    if (rejectedFile !== undefined && !rejected.has(rejectedFile))
      await rm(path.join(rejectedFolder(folder), rejectedFile), { force: true });
  }
}
