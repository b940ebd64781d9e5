import type { LoadProgress, LoadReport } from '../../run/clickhouse/load-store.ts';
import type { Opened } from './open-library.ts';

/** Options of `clickhouse.init`. */
export interface CreateTableOptions {
  /** Whether to run the statements. They have no effect if the table exists. */
  readonly apply?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `clickhouse.load`. */
export interface LoadStoreOptions {
  /** Called while events are sent. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Aborts the call, which then throws `AbortedError`. Events sent so far are kept and not sent again. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The event table on the configured ClickHouse server. All functions throw `clickhouse-not-configured`, and errors of
 * the server.
 */
export interface ClickHouse {
  /** Returns the SQL that creates the event table. `apply` runs it. */
  init(options?: CreateTableOptions): Promise<readonly string[]>;
  /**
   * Makes the table hold the events of the store: sends new events, and deletes events that the store no longer has.
   * Can be repeated, and resumes after an interruption.
   */
  load(options?: LoadStoreOptions): Promise<LoadReport>;
}

export function clickHouseOf(opened: Opened): ClickHouse {
  return {
    init: (options = {}) =>
      opened.call('clickhouse.init', options, async (signal) => {
        const { createEventTable } = await import('../clickhouse/manage-clickhouse.ts');
        return createEventTable(opened.workspace(undefined, signal), { apply: options.apply });
      }),
    load: (options = {}) =>
      opened.call('clickhouse.load', options, async (signal) => {
        const { loadIntoClickHouse } = await import('../clickhouse/manage-clickhouse.ts');
        const { onProgress } = options;
        return loadIntoClickHouse(opened.workspace(undefined, signal), { onProgress });
      }),
  };
}
