import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { BackendError } from '../../ask/sluice-error.ts';

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
  /** Hands out a connection of the caller's own for the time of the work, from a pool. */
  borrow(): Promise<Loan>;
  /** Rows of a statement that gives few. Rejects with DuckDB's own error. */
  rows(text: string, parameters?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
}

export interface Loan {
  readonly connection: DuckDBConnection;
  /** `reusable`: no result of it is open any more. */
  giveBack(reusable: boolean): void;
}

/** Error: `engine-unavailable` where DuckDB cannot be loaded or started. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  const database = await startDuckDb(options, folder).catch(async (cause: unknown) => {
    await removeFolder(folder);
    throw new BackendError('The embedded engine (DuckDB) could not be started.', {
      code: 'engine-unavailable', cause, hint: 'Install sluice afresh on this machine: DuckDB comes as a package for each platform. `threads` and `memoryLimit` must suit it.',
    });
  });
  const idle: DuckDBConnection[] = [];
  const busy = new Set<DuckDBConnection>();
  let closed = false;

  const borrow = async (): Promise<Loan> => {
    if (closed) throw new BackendError('The engine has been closed.', { code: 'engine-closed', hint: 'Open it again.' });
    const connection = idle.pop() ?? (await database.connect());
    busy.add(connection);
    const giveBack = (reusable: boolean) => {
      if (!busy.delete(connection)) return;
      if (reusable && !closed) idle.push(connection);
      else connection.disconnectSync();
    };
    return { connection, giveBack };
  };

  return {
    folder,
    borrow,
    async rows(text, parameters) {
      const loan = await borrow();
      try {
        return await (await loan.connection.run(text, parameters && [...parameters])).getRows();
      } finally {
        loan.giveBack(true);
      }
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      for (const connection of busy) connection.interrupt();
      for (const connection of [...idle, ...busy]) connection.disconnectSync();
      busy.clear();
      database.closeSync();
      await removeFolder(folder);
    },
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
  await connection.run("SET GLOBAL TimeZone = 'UTC'; SET GLOBAL lock_configuration = true");
  connection.disconnectSync();
  return database;
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
