import { type InvalidInputError, inputError } from '../../ask/sluice-error.ts';
import type { ForgetReport } from '../../run/duckdb/store/forget.ts';
import type { PruneReport } from '../../run/duckdb/store/prune.ts';
import type { StoreStats } from '../../run/duckdb/store/store-stats.ts';
import type { IngestProgress, IngestReport } from '../../run/store/ingest-report.ts';
import type { UnmappedFile } from '../setup/proposed-columns.ts';
import { checkPath, checkText, wrongArgument } from '../../ask/document/check-argument.ts';
import { toPresent } from './as-of.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';

/** Options of `ingest`. */
export interface IngestOptions {
  /** Called while files are loaded. */
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Called with the process that holds the store while this call waits. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /**
   * Called with the mapping that sluice proposes for a file of unknown columns. Return true to load the file with it.
   * By default, such files are refused.
   */
  readonly onUnmapped?: ((unmapped: UnmappedFile) => boolean | Promise<boolean>) | undefined;
  /** Then loads the store into ClickHouse, as `clickhouse.load` does. */
  readonly to?: 'clickhouse' | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `prune` and `forget`. */
export interface StoreChange {
  /** Counts what would be removed, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Called with the process that holds the store while this call waits. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The event store of the workspace. All functions throw `store-not-found` if it does not exist, and `store-damaged`.
 */
export interface Store {
  /** Counts the events, users, files and bytes of the store. */
  stats(): Promise<StoreStats>;
  /** Removes all events before a time (in the workspace's time zone). */
  prune(before: AsOf, options?: StoreChange): Promise<PruneReport>;
  /**
   * Removes all events of users, by exact anonymous IDs or user IDs, in one pass. Later loads skip the events of these
   * users.
   */
  forget(users: string | readonly string[], options?: StoreChange): Promise<ForgetReport>;
}

export function ingestFiles(
  opened: Opened,
  files: string | readonly string[],
  options: IngestOptions = {},
): Promise<IngestReport> {
  return opened.call('ingest', options, async (signal) => {
    const patterns = [files].flat();
    if (patterns.length === 0) throw wrongArgument('ingest', 'Expected at least one file or pattern.');
    for (const pattern of patterns) checkPath('ingest', 'A file', pattern);
    const { ingestEvents } = await import('../ingest/ingest-events.ts');
    const { onProgress, onWait, onUnmapped } = options;
    const report = await ingestEvents(opened.workspace(undefined, signal), patterns, {
      onProgress,
      onWait,
      async onUnmapped(unmapped) {
        if (await onUnmapped?.(unmapped)) return true;
        throw refuseUnmapped(unmapped);
      },
    });
    await opened.renew();
    if (options.to === 'clickhouse') {
      const { loadIntoClickHouse } = await import('../clickhouse/manage-clickhouse.ts');
      await loadIntoClickHouse(opened.workspace(undefined, signal), {});
    }
    return report as IngestReport;
  });
}

/** The error if the mapping proposed for a file was not accepted. */
export function refuseUnmapped({ file, yaml }: UnmappedFile): InvalidInputError {
  const message = `${file} has unknown column names. Nothing was written.`;
  const hint = `Add this to sluice.yaml, or accept it with \`onUnmapped\`:\n${yaml}`;
  return inputError('unmapped-columns', message, hint);
}

export function storeOf(opened: Opened): Store {
  const change = <T>(
    name: 'store.prune' | 'store.forget',
    options: StoreChange,
    work: (functions: typeof import('../store/manage-store.ts'), signal: AbortSignal) => Promise<T>,
  ) =>
    opened.call(name, options, async (signal) => {
      const done = await work(await import('../store/manage-store.ts'), signal);
      await opened.renew();
      return done;
    });
  return {
    stats: () => opened.run(async () => (await import('../store/manage-store.ts')).readStoreStats(opened.workspace())),
    prune: (before, options = {}) =>
      change('store.prune', options, async ({ pruneEvents }, signal) => {
        const { dryRun, onWait } = options;
        const { before: _, ...report } = await pruneEvents(opened.workspace(undefined, signal), {
          dryRun,
          onWait,
          before: toPresent(before, 'store.prune'),
        });
        return report;
      }),
    forget: (users, options = {}) =>
      change('store.forget', options, ({ forgetEvents }, signal) => {
        const ids = [users].flat();
        if (ids.length === 0) throw wrongArgument('store.forget', 'Expected at least one ID.');
        for (const id of ids) checkText('store.forget', 'The ID of a user', id);
        const { dryRun, onWait } = options;
        return forgetEvents(opened.workspace(undefined, signal), { users: ids, dryRun, onWait });
      }),
  };
}
