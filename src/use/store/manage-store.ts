import { randomBytes } from 'node:crypto';
import { type ForgetReport, forgetUser } from '../../run/duckdb/store/forget.ts';
import { type PruneReport, pruneStore } from '../../run/duckdb/store/prune.ts';
import { forgetKept } from '../../run/kept/kept-files.ts';
import { storeStats, type StoreStats } from '../../run/duckdb/store/store-stats.ts';
import type { Present } from '../process/read-as-of.ts';
import { zoneOf } from '../workspace/session.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { toWriterOptions } from './store-writing.ts';
import { invalidInput } from '../../ask/sluice-error.ts';

interface ChangeStore {
  /** Tells what would be removed, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Told who is writing to the store while this waits. */
  readonly onWait?: ((holder: string) => void) | undefined;
}

/** What the event store of a workspace holds. Error: `store-not-found`. */
export function readStoreStats({ settings }: Workspace): Promise<StoreStats> {
  return storeStats({ folder: settings.store.value, user: settings.user.value });
}

/** Removes the events before a time, in the zone of the settings. Errors: `store-not-found`, and those of writing. */
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

/** Removes all events of a user, by an exact ID. Errors: `invalid-user`, `store-not-found`, and those of writing. */
export async function forgetEvents(
  workspace: Workspace,
  { user, dryRun, onWait }: ChangeStore & { readonly user: string },
): Promise<ForgetReport> {
  if (user === '') {
    const message = 'The user ID is empty.';
    const hint = 'Specify an exact anonymous ID or user ID.';
    throw invalidInput('invalid-user', message, hint);
  }
  return clearing(workspace, dryRun, () => forgetUser({ ...toWriterOptions(workspace, onWait), user, dryRun }));
}

/**
 * Kept answers may hold what is removed. They go before, as the process may be killed, and after, as others may have
 * asked meanwhile; whatever came of it: it may have failed halfway.
 */
async function clearing<T>({ settings }: Workspace, dryRun: boolean | undefined, work: () => Promise<T>): Promise<T> {
  const clear = async () => {
    if (!dryRun) await forgetKept(settings.answers.value, randomBytes(8).toString('hex'));
  };
  await clear();
  try {
    return await work();
  } finally {
    await clear();
  }
}
