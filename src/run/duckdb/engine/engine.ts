import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { BackendError } from '../../../ask/sluice-error.ts';
import { defineDuckDbFunction, duckDbFunctionsIn, duckDbSettings } from '../../../plan/sql/duckdb.ts';
import { makeTemporaryFolder } from '../../file/temporary-folder.ts';
import { type EngineMemory, openMemory, usualMemory } from './engine-memory.ts';
import { runBound } from './run-bound.ts';
import type { ParameterValue } from './sql-text.ts';

interface EngineOptions {
  /**
   * DuckDB's threads; `upTo` starts with one and adds more if there is much to read (see `widen`). Default: the number
   * of cores.
   */
  readonly threads?: number | { readonly upTo: number } | undefined;
  /** In DuckDB's notation, such as `4GB`; beyond it the engine spills to disk. Default: half of the free memory. */
  readonly memoryLimit?: string | undefined;
  /** The engine lives until the process ends, which frees its memory faster than DuckDB does. */
  readonly endsWithProcess?: boolean | undefined;
}

/** An empty DuckDB in this process: no network, time zone UTC, settings locked. */
export interface Engine extends AsyncDisposable, Pick<EngineMemory, 'sparingly' | 'lightly' | 'amply'> {
  /** This engine's own folder, removed when the engine closes. */
  readonly folder: string;
  /** Aborts when the engine is closed. */
  readonly closed: AbortSignal;
  /** A number that is unique within this engine, for names. */
  nextNumber(): number;
  /** Runs the work on its own connection from a pool. Closing the engine interrupts it. Rejects with DuckDB's error. */
  work<T>(task: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /**
   * Gives an engine that began with one thread all of its threads, if this many bytes can be shared among several. With
   * little to share, threads mostly busy-wait for each other.
   */
  widen(bytes: number): Promise<void>;
  /** Sets the memory limit; see `memoryLimit`. Throws `memory-unfit`, a `ConfigError`. */
  limitMemory(limit: string): Promise<void>;
  /** The rows of a statement that returns few. */
  rows(text: string, parameters?: readonly ParameterValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
}

/** The smallest share that DuckDB gives a thread, in bytes of text or rows of Parquet. */
export const littleToRead = 2 ** 20;

/** The longest wait of a retry for other work. */
const longestTurnMs = 10_000;

/** Throws `engine-unavailable` if DuckDB cannot be loaded or started. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  // Start immediately: DuckDB starts on its own threads while the caller continues.
  const temporary = makeTemporaryFolder();
  const usual = usualMemory();
  const folder = temporary.path;
  const database = await startDuckDb(options, options.memoryLimit ?? usual, folder).catch(async (cause: unknown) => {
    await temporary[Symbol.asyncDispose]();
    throw new BackendError('The embedded engine (DuckDB) could not be started.', {
      code: 'engine-unavailable',
      cause,
      hint:
        'Install sluice again on this machine: DuckDB has a package per platform. ' +
        'Check `threads` and `memoryLimit`.',
    });
  });
  const connect = openConnections(database);
  const idle: DuckDBConnection[] = [];
  const busy = new Map<DuckDBConnection, Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const closed = new AbortController();
  let number = 0;

  const refuseWhenClosed = () => {
    if (closing)
      throw new BackendError('The engine has been closed.', { code: 'engine-closed', hint: 'Open it again.' });
  };

  const work = async <T>(task: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    refuseWhenClosed();
    const connection = idle.pop() ?? (await connect());
    try {
      return await memory.during(() => {
        refuseWhenClosed();
        const doing = task(connection);
        busy.set(connection, doing);
        return doing;
      });
    } finally {
      busy.delete(connection);
      idle.push(connection);
    }
  };

  const close = async () => {
    closed.abort();
    // If DuckDB is closed during a statement, the statement never ends; and an interrupt between two statements is
    // lost. So interrupt until all work has ended.
    while (busy.size > 0) {
      for (const connection of busy.keys()) connection.interrupt();
      await Promise.race([Promise.allSettled(busy.values()), pause(20)]);
    }
    if (!options.endsWithProcess) {
      for (const connection of idle) connection.disconnectSync();
      database.closeSync();
    }
    await temporary[Symbol.asyncDispose]();
  };

  const set = async (setting: string) => {
    const connection = await database.connect();
    try {
      await connection.run(`SET GLOBAL ${setting}`);
    } finally {
      connection.disconnectSync();
    }
  };
  const memory = openMemory(options.memoryLimit, usual, set);
  let widening: Promise<void> | undefined;
  /**
   * The thread that calls DuckDB is one of its threads, and spins while it has no task. So DuckDB plans for all threads
   * but starts only as many as keep the other processors busy.
   */
  const widenTo = async (threads: number) => {
    await set(`threads = ${threads}`);
    const surplus = threads - availableParallelism();
    if (surplus > 0) await set(`external_threads = ${1 + surplus}`);
  };

  return {
    folder,
    closed: closed.signal,
    nextNumber: () => (number += 1),
    work,
    sparingly: memory.sparingly,
    lightly: memory.lightly,
    async amply(task) {
      await Promise.race([Promise.allSettled(busy.values()), pause(longestTurnMs, undefined, { ref: false })]);
      return memory.amply(task);
    },
    async widen(bytes) {
      const { threads } = options;
      if (typeof threads === 'object' && bytes > littleToRead) await (widening ??= widenTo(threads.upTo));
    },
    limitMemory: memory.limitTo,
    rows: (text, parameters) =>
      work(async (connection) =>
        (await (parameters ? runBound(connection, text, parameters) : connection.run(text))).getRows(),
      ),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

async function startDuckDb({ threads }: EngineOptions, memoryLimit: string, folder: string) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const database = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    temp_directory: join(folder, 'spill'),
    ...(threads === undefined ? {} : { threads: String(typeof threads === 'object' ? 1 : threads) }),
    memory_limit: memoryLimit,
  });
  const connection = await database.connect();
  // TimeZone belongs to an extension that loads only after the instance has read its options.
  await connection.run(
    [
      ...duckDbSettings,
      "SET GLOBAL allowed_configs = ['memory_limit', 'threads', 'external_threads']",
      'SET GLOBAL lock_configuration = true',
    ].join('; '),
  );
  connection.disconnectSync();
  return database;
}

/**
 * Opens connections that define the macros of a statement before it is prepared or run. Defining all macros takes
 * almost as long as starting DuckDB, and few statements call one.
 */
function openConnections(database: DuckDBInstance): () => Promise<DuckDBConnection> {
  const defined = new Map<string, Promise<void>>();
  const define = async (name: string) => {
    const definition = defineDuckDbFunction(name);
    await defineCalled(definition.slice(definition.indexOf(') AS')));
    const connection = await database.connect();
    try {
      await connection.run(definition);
    } finally {
      connection.disconnectSync();
    }
  };
  const defineCalled = async (statement: string) => {
    for (const name of duckDbFunctionsIn(statement)) {
      const defining = defined.get(name) ?? define(name);
      defined.set(name, defining);
      await defining.catch((error: unknown) => {
        defined.delete(name);
        throw error;
      });
    }
  };
  return async () => {
    const connection = await database.connect();
    const [prepare, run] = [connection.prepare.bind(connection), connection.run.bind(connection)];
    connection.prepare = (text) => defineCalled(text).then(() => prepare(text));
    connection.run = (text, ...more) => defineCalled(text).then(() => run(text, ...more));
    return connection;
  };
}
