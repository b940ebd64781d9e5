import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism, freemem, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { BackendError, ConfigError } from '../../../ask/sluice-error.ts';
import { duckDbFunctions, duckDbSettings } from '../../../plan/sql/duckdb.ts';
import { makeTemporaryFolder } from '../../file/temporary-folder.ts';
import { ownProcess } from '../../own-process.ts';
import { runBound } from './run-bound.ts';
import { type ParameterValue, quoteText } from './sql-text.ts';

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
export interface Engine extends AsyncDisposable {
  /** This engine's own folder, removed when the engine closes. */
  readonly folder: string;
  /** Aborts when the engine is closed. */
  readonly closed: AbortSignal;
  /** A number that is unique within this engine, for names. */
  nextNumber(): number;
  /** Runs the work on its own connection from a pool. Closing the engine interrupts it. Rejects with DuckDB's error. */
  work<T>(task: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /**
   * Runs work that needs little memory, with a low limit so that the engine spills to disk early. An explicit memory
   * limit is kept. While other work runs, the engine keeps all of its memory. `columns`: the number of columns that are
   * sorted or written, if small.
   */
  sparingly<T>(task: () => Promise<T>, columns?: number): Promise<T>;
  /** Runs work that needs hardly any memory, without changing the engine's limit, even beside sparing work. */
  lightly<T>(task: () => T): T;
  /**
   * Retries work that ran out of memory, when other work is done or after some seconds, with most of the memory that is
   * free by then. An explicit memory limit is kept.
   */
  amply<T>(task: () => Promise<T>): Promise<T>;
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

/** The MiB that each thread needs to sort or write. Wide rows need more. */
const sparseShare = (columns: number) => Math.min(64, Math.ceil(22 + 1.6 * columns));
const sparseMemory = (share: number) => `(${share} * (2 + current_setting('threads')))::VARCHAR || 'MiB'`;

/** The smallest share that DuckDB gives a thread, in bytes of text or rows of Parquet. */
export const littleToRead = 2 ** 20;

/** The least useful limit: with less, most of the work would spill to disk. */
const leastMemory = 512 * 2 ** 20;

/**
 * A share of the memory that is free for this process, on the machine and in its container. Outside Linux the system's
 * figure excludes memory that it could reclaim, so at least a quarter of the machine counts as free.
 */
function freeMemory(share: number): string {
  const free = platform() === 'linux' ? freemem() : Math.max(freemem(), totalmem() / 4);
  const bytes = share * Math.min(free, ownProcess()?.roomInContainer() ?? Infinity);
  return `${Math.floor(Math.max(leastMemory, bytes) / 2 ** 20)}MiB`;
}

/** The share for a retry. The rest is left to this process and the system. */
const [usualShare, ampleShare] = [0.5, 0.8];
const longestTurnMs = 10_000;

/** Throws `engine-unavailable` if DuckDB cannot be loaded or started. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  // Start immediately: DuckDB starts on its own threads while the caller continues.
  const temporary = makeTemporaryFolder();
  const usualMemory = freeMemory(usualShare);
  const folder = temporary.path;
  const database = await startDuckDb(options, options.memoryLimit ?? usualMemory, folder).catch(
    async (cause: unknown) => {
      await temporary[Symbol.asyncDispose]();
      throw new BackendError('The embedded engine (DuckDB) could not be started.', {
        code: 'engine-unavailable',
        cause,
        hint: 'Install sluice again on this machine: DuckDB has a package per platform. Check `threads` and `memoryLimit`.',
      });
    },
  );
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
    const weight = within.getStore() === 'lightly' ? 0 : 1;
    heavy += weight;
    try {
      if (sparing > 0) await suitMemory();
      refuseWhenClosed();
      const doing = task(connection);
      busy.set(connection, doing);
      return await doing;
    } finally {
      heavy -= weight;
      busy.delete(connection);
      idle.push(connection);
      if (weight > 0 && sparing > 0) void suitMemory();
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

  let limit = options.memoryLimit === undefined ? undefined : quoteText(options.memoryLimit);
  /**
   * The shares of sparing tasks, the number of ample tasks, and the number of statements that are neither sparing nor
   * light.
   */
  let [sparing, ample, heavy] = [0, 0, 0];
  const within = new AsyncLocalStorage<'lightly'>();
  const usualLimit = quoteText(options.memoryLimit ?? usualMemory);
  let [usual, current] = [usualLimit, usualLimit];
  let setting: Promise<void> = Promise.resolve();
  const set = async (setting: string) => {
    const connection = await database.connect();
    try {
      await connection.run(`SET GLOBAL ${setting}`);
    } finally {
      connection.disconnectSync();
    }
  };
  const setLimit = async (wanted: string) => {
    if (wanted === current) return;
    await set(`memory_limit = ${wanted}`);
    current = wanted;
  };
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
  /** Sets the memory limit that suits the current work. */
  const suitMemory = (): Promise<void> => {
    if (limit !== undefined) return setting;
    return (setting = setting
      .then(() => {
        return setLimit(sparing > 0 && heavy === 0 && ample === 0 ? sparseMemory(sparing) : usual);
        // The limit stays if more than that is in use.
      })
      .catch(() => undefined));
  };
  const lightly = <T>(task: () => T): T => within.run('lightly', task);
  const sparingly = async <T>(task: () => Promise<T>, columns = Infinity): Promise<T> => {
    const share = sparseShare(columns);
    sparing += share;
    await suitMemory();
    try {
      return await lightly(task);
    } finally {
      sparing -= share;
      await suitMemory();
    }
  };
  const amply = async <T>(task: () => Promise<T>): Promise<T> => {
    await Promise.race([Promise.allSettled(busy.values()), pause(longestTurnMs, undefined, { ref: false })]);
    ample += 1;
    usual = quoteText(freeMemory(ampleShare));
    await suitMemory();
    try {
      return await task();
    } finally {
      ample -= 1;
      if (ample === 0) usual = usualLimit;
      await suitMemory();
    }
  };

  return {
    folder,
    closed: closed.signal,
    nextNumber: () => (number += 1),
    work,
    sparingly,
    lightly,
    amply,
    async widen(bytes) {
      const { threads } = options;
      if (typeof threads === 'object' && bytes > littleToRead) await (widening ??= widenTo(threads.upTo));
    },
    async limitMemory(wanted) {
      await setting;
      await setLimit(quoteText(wanted)).catch((cause: unknown) => {
        throw new ConfigError(`The engine cannot use ${wanted} of memory.`, {
          code: 'memory-unfit',
          cause,
          hint: 'Set `memory:` (--memory) to an amount such as 4GB.',
        });
      });
      limit = quoteText(wanted);
    },
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

const functionCall = new RegExp(`\\b(?:${[...duckDbFunctions.keys()].join('|')})(?=\\s*\\()`, 'gi');

/**
 * Opens connections that define the macros of a statement before it is prepared or run. Defining all macros takes
 * almost as long as starting DuckDB, and few statements call one.
 */
function openConnections(database: DuckDBInstance): () => Promise<DuckDBConnection> {
  const defined = new Map<string, Promise<void>>();
  const define = async (name: string) => {
    const definition = duckDbFunctions.get(name)!;
    await defineCalled(definition.slice(definition.indexOf(') AS')));
    const connection = await database.connect();
    try {
      await connection.run(definition);
    } finally {
      connection.disconnectSync();
    }
  };
  const defineCalled = async (statement: string) => {
    for (const [call] of statement.matchAll(functionCall)) {
      const name = call.toLowerCase();
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
