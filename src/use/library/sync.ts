import type { SyncedList, SyncRequest } from '../platform/sync.ts';
import type { Opened } from './opened.ts';

/** What to bring from the platform. */
export interface SyncOptions extends Omit<SyncRequest, 'projects' | 'groups'> {
  /** Numbers or full paths. Default: the project of the configuration. */
  readonly projects?: readonly (string | number)[] | undefined;
  /** Numbers or full paths. Default: the groups of the projects that are named by paths. */
  readonly groups?: readonly (string | number)[] | undefined;
  /** Told of each list when it is stored, or has failed. */
  readonly onList?: ((list: SyncedList) => void) | undefined;
  /** Aborts the call, which then throws `AbortedError`. What was stored stays. */
  readonly signal?: AbortSignal | undefined;
}

/** Brings lists of the platform; then questions know their cubes. */
export function syncLists(opened: Opened, options: SyncOptions = {}): Promise<readonly SyncedList[]> {
  return opened.call('sync', options, async (signal) => {
    const { projects, groups, onList, signal: _, ...request } = options;
    const { syncWorkspace } = await import('../platform/sync.ts');
    const asked = { ...request, projects: projects?.map(String), groups: groups?.map(String) };
    const lists = await syncWorkspace(opened.workspace(undefined, signal), asked, { onList });
    await opened.renew(true);
    return lists;
  });
}
