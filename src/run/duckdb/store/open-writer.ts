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
import { readSources, type StoreSource, writeSources, zonesOf } from '../../store/store-contents.ts';
import { lockStore } from '../../store/store-lock.ts';
import {
  damagedStore,
  manifestPath,
  readManifest,
  type Segment,
  segmentPath,
  storeVersion,
  type StoreManifest,
  writeManifest,
} from '../../store/store-manifest.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { interruptible } from '../engine/run-statement.ts';
import { withIdHashes } from './id-hashes.ts';
import { toStoreError } from './store-error.ts';
import { upgradeSegments } from './first-layout.ts';
import { demandOwnFolder, rejectedFolder, sweepStore } from './sweep-store.ts';
import { writeProjections } from './write-projections.ts';
import { withSessionless } from './write-segment.ts';

export interface WriterOptions {
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Random letters and digits, unique and not guessable, for names and for salt. */
  readonly randomText: () => string;
  /** The name of this writer for those who wait: `process 4711 (node)`. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
  /** Called once with the name of the other writer, if one is at work. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** In DuckDB's notation. Default: 256 MiB plus 256 MiB per thread, or 160 MiB each if little memory is free. */
  readonly memoryLimit?: string | undefined;
  readonly threads?: number | undefined;
  /** The workspace's time zone. The days of users are kept in this zone and in UTC. */
  readonly zone?: string | undefined;
  /** Total size of the files to load. */
  readonly bytes?: number | undefined;
}

/** A change to commit. */
export interface StoreChange {
  readonly segments: readonly Segment[];
  readonly sources: readonly StoreSource[];
  readonly nextSource?: number;
  readonly forgotten?: readonly string[];
  /** The change removes the events before this instant, epoch milliseconds. */
  readonly pruned?: number;
  /** Whether the change removes events. */
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
  /** The rows of a statement. The signal stops it. */
  rows(text: string, parameters?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
  freshName(ending: string): string;
  /** Commits the change atomically and durably, then removes files that are no longer named. */
  commit(change: StoreChange): Promise<void>;
}

/**
 * DuckDB's threads for large work: all cores, but more than the files of one read. DuckDB splits a file among threads
 * only if there are fewer files than threads, and a read has the event file and a file of hints.
 */
function usualThreads(): number {
  return Math.max(3, availableParallelism());
}

/**
 * Enough for every statement of a writer, since each thread reads, sorts and writes by itself. Beyond it the engine
 * spills to disk. With less than `amply` per thread, only one thread compresses row groups.
 */
function usualMemory(threads: number): string {
  const [least, amply] = [160, 256].map((each) => each * (1 + threads)) as [number, number];
  return `${Math.max(least, Math.min(amply, Math.floor(freemem() / 4 / 2 ** 20)))}MiB`;
}

/**
 * Opens a store for writing: waits for the lock, removes leftovers of other writers, creates the folder if it is
 * missing, and upgrades a store of an earlier layout. Closing removes everything that was written but not committed.
 * Errors: `store-unwritable`, `disk-full`, `store-foreign`, `store-damaged`, `store-too-new`, `AbortedError`.
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
    // Do not sweep a store that cannot be read.
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
      version: storeVersion,
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
      // From now on the folder belongs to a store; a missing manifest means damage.
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
      const segments = await withSessionless(writer, await withIdHashes(writer, written.segments));
      const time = writeUtc(options.now());
      const changed =
        change.sources === sources ? sources : change.sources.map((source) => withTimeOfCommit(source, manifest, time));
      const next: StoreManifest = {
        ...manifest,
        version: storeVersion,
        revision: manifest.revision + 1,
        time,
        segments,
        projections: written.projections,
        nextSource: change.nextSource ?? manifest.nextSource,
        forgotten: change.forgotten ?? manifest.forgotten,
        lastForgotten: change.forgotten ? time : manifest.lastForgotten,
        pruned: change.pruned ?? manifest.pruned,
        zones: changed === sources ? manifest.zones : zonesOf(changed),
        ledger:
          changed === sources ? manifest.ledger : `sources-${manifest.revision + 1}-${options.randomText()}.ndjson`,
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
        await writeOwnFile(path.join(folder, next.ledger), [writeSources(changed)]);
      await syncFolder(folder);
      await writeOwnFile(manifestPath(folder), [writeManifest(next)]);
      await syncFolder(folder);
      const old = { manifest, sources };
      manifest = next;
      sources = changed;
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
    if (manifest.version < storeVersion) {
      const segments = await upgradeSegments(writer, manifest);
      await commit({ segments, sources: writer.sources, removes: true });
    }
    return writer;
  } catch (error) {
    await close().catch(() => undefined);
    return refuse(error);
  }

  function refuse(error: unknown): never {
    throw toStoreError(error, folder, signal);
  }
}

/** What was read since the last commit has the time of the next one: the store has it from then on, all at once. */
function withTimeOfCommit(source: StoreSource, last: StoreManifest, time: string): StoreSource {
  if (source.number < last.nextSource) return source;
  const { earlier, since } = source;
  return {
    ...source,
    time,
    ...(earlier && { earlier: earlier.map((rows) => (rows.number < last.nextSource ? rows : { ...rows, time })) }),
    ...(since !== undefined && since > last.time && { since: time }),
  };
}

/** Read the manifest from disk: a commit can fail after it took effect. */
async function sweepPresent(folder: string): Promise<void> {
  const manifest = await readManifest(folder);
  const sources = manifest ? await readSources(folder, manifest) : [];
  if (sources) await sweepStore(folder, manifest, sources);
  // Nothing was ever committed.
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
