import { AsyncLocalStorage } from 'node:async_hooks';
import { freemem, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { BackendError, ConfigError } from '../../../ask/sluice-error.ts';
import { duckDbFunctions, duckDbSettings } from '../../../plan/sql/duckdb.ts';
import { makeTemporaryFolder } from '../../file/temporary-folder.ts';
import { ownProcess } from '../../own-process.ts';
import { quoteText } from './sql-text.ts';

export interface EngineOptions {
  /** Threads of DuckDB; or one, and so many once there is much to read, see `widen`. Default: the number of cores. */
  readonly threads?: number | { readonly upTo: number } | undefined;
  /** As DuckDB writes it, e.g. `4GB`; above it the engine spills to disk. Default: half of the free memory. */
  readonly memoryLimit?: string | undefined;
  /** It is needed to the end of the process, which gives all of its memory back sooner than DuckDB does. */
  readonly endsWithProcess?: boolean | undefined;
}

/** DuckDB in this process, with nothing in it, no network, its clock in UTC and its settings locked. */
export interface Engine extends AsyncDisposable {
  /** A folder of this engine's own that goes away with it. */
  readonly folder: string;
  /** Fires when the engine is closed. */
  readonly closed: AbortSignal;
  /** A number that this engine has not given before, for names. */
  nextNumber(): number;
  /**
   * Does the work on a connection of its own, from a pool. Closing the engine interrupts it. Rejects with DuckDB's own
   * error.
   */
  work<T>(task: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /**
   * Does work that needs little memory while the engine puts the rest aside on the disk, unless its memory was limited
   * by somebody. While other work goes on beside it, the engine has all of its memory. `columns`: how many columns the
   * rows have that it sorts or writes, if they are few.
   */
  sparingly<T>(task: () => Promise<T>, columns?: number): Promise<T>;
  /** Does what needs hardly any memory, beside sparing work, too: it leaves the engine's memory as it is. */
  lightly<T>(task: () => T): T;
  /**
   * Does again what failed for want of memory: when the work beside it is done, or after some seconds, and with most of
   * what is free by then, unless the engine's memory was limited by somebody.
   */
  amply<T>(task: () => Promise<T>): Promise<T>;
  /**
   * Gives an engine that began with one thread all that it may have, if so many bytes of files are more than one thread
   * reads in any case. Where there is little to share, threads mostly wait for each other, and busily.
   */
  widen(bytes: number): Promise<void>;
  /** As `memoryLimit` when it was opened. Error: `memory-unfit`, a `ConfigError`. */
  limitMemory(limit: string): Promise<void>;
  /** Rows of a statement that gives few. */
  rows(text: string, parameters?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
}

/** Every thread that sorts or writes wants some memory of its own: so many MiB, the more the wider the rows are. */
const sparseShare = (columns: number) => Math.min(64, Math.ceil(22 + 1.6 * columns));
const sparseMemory = (share: number) => `(${share} * (2 + current_setting('threads')))::VARCHAR || 'MiB'`;

/** DuckDB gives a thread at least as many bytes of text, or as many rows of Parquet. */
export const littleToRead = 2 ** 20;

/** Less is not worth starting with: most of the work would go to the disk. */
const leastMemory = 512 * 2 ** 20;

/**
 * A share of the memory that is free for this process: of the machine's, and of what its container may have. What the
 * system calls free leaves out what it would give back elsewhere than on Linux, so that a quarter of the machine counts
 * as free.
 */
function freeMemory(share: number): string {
  const free = platform() === 'linux' ? freemem() : Math.max(freemem(), totalmem() / 4);
  const bytes = share * Math.min(free, ownProcess()?.roomInContainer() ?? Infinity);
  return `${Math.floor(Math.max(leastMemory, bytes) / 2 ** 20)}MiB`;
}

/** For what is done once more; the rest is this process's own, and the system's. */
const [usualShare, ampleShare] = [0.5, 0.8];
const longestTurnMs = 10_000;

/** Error: `engine-unavailable` where DuckDB cannot be loaded or started. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  // At once, not in turn: DuckDB starts on threads of its own while the caller goes on.
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
    // Closed under a statement that runs, DuckDB would never end it; an interrupt between two statements is lost.
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
  /** The shares of sparing tasks, the number of ample ones, and of statements that are neither sparing nor light. */
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
  /** Gives the engine the memory that suits what it does. */
  const suitMemory = (): Promise<void> => {
    if (limit !== undefined) return setting;
    return (setting = setting
      .then(() => {
        return setLimit(sparing > 0 && heavy === 0 && ample === 0 ? sparseMemory(sparing) : usual);
        // It stays if more than that is in use.
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
      if (typeof threads === 'object' && bytes > littleToRead) await (widening ??= set(`threads = ${threads.upTo}`));
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
      work(async (connection) => (await connection.run(text, parameters && [...parameters])).getRows()),
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
  // TimeZone belongs to an extension that is loaded only after the instance has read its options.
  await connection.run(
    [
      ...duckDbSettings,
      "SET GLOBAL allowed_configs = ['memory_limit', 'threads']",
      'SET GLOBAL lock_configuration = true',
    ].join('; '),
  );
  connection.disconnectSync();
  return database;
}

const functionCall = new RegExp(`\\b(?:${[...duckDbFunctions.keys()].join('|')})(?=\\s*\\()`, 'gi');

/**
 * Opens connections that define the functions of plans which a statement calls, before it is prepared or run: to define
 * all of them takes almost as long as to start DuckDB, and few statements call one.
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
