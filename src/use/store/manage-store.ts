import { randomBytes } from 'node:crypto';
import { BackendError, inputError } from '../../ask/sluice-error.ts';
import { type ForgetReport, forgetUsers } from '../../run/duckdb/store/forget.ts';
import { openWriter } from '../../run/duckdb/store/open-writer.ts';
import { type PruneReport, pruneStore } from '../../run/duckdb/store/prune.ts';
import { systemReason } from '../../run/file/system-error.ts';
import { forgetKept } from '../../run/kept/kept-files.ts';
import { storeStats, type StoreStats } from '../../run/duckdb/store/store-stats.ts';
import { readManifest, storeVersion } from '../../run/store/store-manifest.ts';
import type { Present } from '../process/read-as-of.ts';
import { forgetFigures } from '../report/due/kept-figures.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { toWriterOptions } from './store-writing.ts';
import { zoneOf } from '../config/settings.ts';

interface ChangeStore {
  /** Counts what would be removed, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Called with the process that holds the store while this call waits. */
  readonly onWait?: ((holder: string) => void) | undefined;
}

/** Reads the statistics of the event store. Throws `store-not-found`. */
export function readStoreStats({ settings }: Workspace): Promise<StoreStats> {
  return storeStats({ folder: settings.store.value, user: settings.user.value });
}

/** Upgrades a store of an earlier layout, as every change of it does. */
export async function upgradeStore(workspace: Workspace): Promise<void> {
  const manifest = await readManifest(workspace.settings.store.value);
  if (manifest && manifest.version < storeVersion)
    await (await openWriter(toWriterOptions(workspace)))[Symbol.asyncDispose]();
}

/** Removes the events before a time in the configured time zone. Throws `store-not-found`, and errors of writing. */
export function pruneEvents(
  workspace: Workspace,
  { before, dryRun, onWait }: ChangeStore & { readonly before: Present },
): Promise<PruneReport & { readonly before: number }> {
  const instant = before(zoneOf(workspace.settings));
  return clearing(workspace, dryRun, () =>
    pruneStore({ ...toWriterOptions(workspace, onWait), before: instant, dryRun }),
  ).then((report) => ({
    ...report,
    before: instant,
  }));
}

/** Removes all events of users, by exact IDs. Throws `invalid-user`, `store-not-found`, and errors of writing. */
export async function forgetEvents(
  workspace: Workspace,
  { users, dryRun, onWait }: ChangeStore & { readonly users: readonly string[] },
): Promise<ForgetReport> {
  if (users.includes('')) {
    throw inputError('invalid-user', 'A user ID is empty.', 'Specify exact anonymous IDs or user IDs.');
  }
  const report = await clearing(workspace, dryRun, () =>
    forgetUsers({ ...toWriterOptions(workspace, onWait), users, dryRun }),
  );
  if (!dryRun) await forgetFigures(workspace.settings.runs.value, users);
  return report;
}

/**
 * Clears cached answers, which may contain removed events. They are cleared before, in case the process is killed, and
 * after, even if the work failed, in case other processes cached answers meanwhile.
 */
async function clearing<T>({ settings }: Workspace, dryRun: boolean | undefined, work: () => Promise<T>): Promise<T> {
  if (dryRun) return work();
  const { value: folder } = settings.answers;
  const clear = async (isChanged: boolean) => {
    await forgetKept(folder, randomBytes(8).toString('hex')).catch((error: NodeJS.ErrnoException) => {
      throw new BackendError(
        `The cached answers in ${folder} cannot be removed: ${systemReason(error)}. ` +
          `The store was ${isChanged ? 'changed, but they may contain removed events' : 'not changed'}.`,
        {
          code: 'file-unwritable',
          cause: error,
          hint: `${
            isChanged ? 'Remove this folder' : 'Remove this folder, or free disk space, and run the same command again'
          }.`,
        },
      );
    });
  };
  await clear(false);
  const done = await work().catch(async (error: unknown) => {
    await clear(false).catch(() => undefined);
    throw error;
  });
  await clear(true);
  return done;
}
