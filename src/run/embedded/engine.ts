import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { BackendError } from '../../ask/sluice-error.ts';
import { duckDbSettings } from '../../plan/sql/duckdb.ts';

export interface EngineOptions {
  /** Of DuckDB; as many as there are cores where not set. */
  readonly threads?: number | undefined;
  /** As DuckDB writes it, e.g. `4GB`; past it the engine spills to disk. */
  readonly memoryLimit?: string | undefined;
}

/** DuckDB in this process, with nothing in it, no network, its clock in UTC and its settings locked. */
export interface Engine extends AsyncDisposable {
  /** A folder of this engine's own that goes away with it. */
  readonly folder: string;
  /** Fires when the engine is closed. */
  readonly closed: AbortSignal;
  /** A number that this engine has not given before, for names. */
  nextNumber(): number;
  /** Does the work on a connection of its own, from a pool. Closing the engine interrupts it. Rejects with DuckDB's own error. */
  work<T>(task: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /**
   * Does the work while the engine keeps little in memory and puts the rest aside on the disk, unless its memory was
   * limited when it was opened.
   */
  sparingly<T>(task: () => Promise<T>): Promise<T>;
  /** Rows of a statement that gives few. */
  rows(text: string, parameters?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
}

/** Every thread that sorts or writes wants some memory of its own. */
const sparseMemory = `(64 * (2 + current_setting('threads')))::VARCHAR || 'MiB'`;

/** Error: `engine-unavailable` where DuckDB cannot be loaded or started. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  // At once, not in turn: DuckDB starts on threads of its own while the caller goes on.
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  const database = await startDuckDb(options, folder).catch(async (cause: unknown) => {
    await removeFolder(folder);
    throw new BackendError('The embedded engine (DuckDB) could not be started.', {
      code: 'engine-unavailable', cause, hint: 'Install sluice afresh on this machine: DuckDB comes as a package for each platform. `threads` and `memoryLimit` must suit it.',
    });
  });
  const idle: DuckDBConnection[] = [];
  const busy = new Map<DuckDBConnection, Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const closed = new AbortController();
  let number = 0;

  const refuseWhenClosed = () => {
    if (closing) throw new BackendError('The engine has been closed.', { code: 'engine-closed', hint: 'Open it again.' });
  };

  const work = async <T>(task: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    refuseWhenClosed();
    const connection = idle.pop() ?? (await database.connect());
    refuseWhenClosed();
    const doing = task(connection);
    busy.set(connection, doing);
    try {
      return await doing;
    } finally {
      busy.delete(connection);
      idle.push(connection);
    }
  };

  const close = async () => {
    closed.abort();
    // Closed under a statement that runs, DuckDB would never end it; an interrupt between two statements is lost.
    while (busy.size > 0) {
      for (const connection of busy.keys()) connection.interrupt();
      await Promise.race([Promise.allSettled(busy.values()), pause(20)]);
    }
    for (const connection of idle) connection.disconnectSync();
    database.closeSync();
    await removeFolder(folder);
  };

  const setQuietly = (text: string) => work((connection) => connection.run(text)).catch(() => undefined);
  let sparing = 0;
  const sparingly = async <T>(task: () => Promise<T>): Promise<T> => {
    if (options.memoryLimit !== undefined) return task();
    sparing += 1;
    if (sparing === 1) await setQuietly(`SET GLOBAL memory_limit = ${sparseMemory}`);
    try {
      return await task();
    } finally {
      sparing -= 1;
      if (sparing === 0) await setQuietly('RESET GLOBAL memory_limit');
    }
  };

  return {
    folder,
    closed: closed.signal,
    nextNumber: () => (number += 1),
    work,
    sparingly,
    rows: (text, parameters) => work(async (connection) => (await connection.run(text, parameters && [...parameters])).getRows()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

async function startDuckDb(options: EngineOptions, folder: string) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const database = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    temp_directory: join(folder, 'spill'),
    ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
    ...(options.memoryLimit === undefined ? {} : { memory_limit: options.memoryLimit }),
  });
  const connection = await database.connect();
  // TimeZone belongs to an extension that is loaded only after the instance has read its options.
  await connection.run([...duckDbSettings, "SET GLOBAL allowed_configs = ['memory_limit']", 'SET GLOBAL lock_configuration = true'].join('; '));
  connection.disconnectSync();
  return database;
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
