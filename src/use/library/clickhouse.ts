import type { LoadProgress, LoadReport } from '../../run/clickhouse/load-store.ts';
import type { Opened } from './open-library.ts';

/** Options of `clickhouse.init`. */
export interface CreateTableOptions {
  /** Runs the statements. They do nothing if the table exists. */
  readonly apply?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `clickhouse.load`. */
export interface LoadStoreOptions {
  /** Called while events are sent. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Aborts the call, which then throws `AbortedError`. What was sent stays, and is not sent again. */
  readonly signal?: AbortSignal | undefined;
}

/** The table of events on the ClickHouse server of the workspace. All functions throw `clickhouse-not-configured`. */
export interface ClickHouse {
  /** The SQL that creates the table of events. */
  init(options?: CreateTableOptions): Promise<readonly string[]>;
  /** Makes the table hold the events of the store. It can be repeated, and goes on after it was cut off. */
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
