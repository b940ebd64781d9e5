import path from 'node:path';
import { inputError, type InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Scope, SyncedCube } from '../../plan/platform/synced-cube.ts';
import { syncedCubes } from '../../plan/platform/synced-cubes.ts';
import { makeOwnFolder } from '../../run/file/owner-only.ts';
import { takeLock } from '../../run/file/take-lock.ts';
import { readRows } from '../../run/platform/sync/record-file.ts';
import { syncCube, type Tally } from '../../run/platform/sync/sync-cube.ts';
import { readAsOf } from '../process/read-as-of.ts';
import { openPlatformService, platformAddress } from '../workspace/open-remote.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { syncFile } from '../workspace/synced-cubes.ts';

/** Which lists to sync. */
export interface SyncRequest {
  /** Names of cubes, such as `Commits`. Defaults to all that the token may read. */
  readonly cubes?: readonly string[] | undefined;
  /** IDs or full paths. Defaults to the configured project. */
  readonly projects?: readonly string[] | undefined;
  /** IDs or full paths. Defaults to the groups of the projects that are given by path. */
  readonly groups?: readonly string[] | undefined;
  /** Numbers of epics in the groups whose child epics to sync. Defaults to the epics of earlier syncs. */
  readonly epics?: readonly number[] | undefined;
  /** Date or time from which to sync commits and activity. Defaults to the end of the last sync, or to one year ago. */
  readonly since?: string | undefined;
}

/** The result of syncing one list. */
export interface SyncedList {
  /** Name of the cube. */
  readonly cube: string;
  /** The project, group or host. */
  readonly scope: string;
  /** Number of stored rows and what changed; undefined if the sync failed. */
  readonly tally?: Tally | undefined;
  /**
   * The error, if the sync failed; with `tally`, only a part of the list failed, such as the deliveries of one webhook.
   */
  readonly error?: SluiceError | undefined;
  /**
   * True if the token may not read the list and it was not requested by name. This is not a failure, unless the token
   * may read nothing of a requested project or group.
   */
  readonly isSkipped: boolean;
}

interface SyncSurroundings {
  readonly onList?: ((list: SyncedList) => void | Promise<void>) | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/**
 * Syncs lists of the platform into the workspace. If a list fails, the others are synced, unless they would fail, too.
 * Throws `platform-not-configured`, `token-missing`, `token-refused`, `file-unwritable`, `InvalidInputError`
 * (`unknown-cube`, `nothing-to-sync`), `sync-running`.
 */
export async function syncWorkspace(
  { settings, remote, signal, clock }: Workspace,
  request: SyncRequest,
  { onList, onProgress }: SyncSurroundings = {},
): Promise<readonly SyncedList[]> {
  const wanted = findCubes(request.cubes);
  const url = platformAddress(settings);
  const scopes = findScopes(request, settings.platformProject.value, new URL(url).host);
  const since = request.since === undefined ? undefined : unwrap(readAsOf(request.since, '--since'), 'The start');
  const work = wanted.flatMap((cube) => scopes[cube.scope].map((scope) => ({ cube, scope })));
  if (work.length === 0) throw nothingToSync();
  const service = await openPlatformService(settings, remote);
  await using _http = service.http;
  const folder = settings.synced.value;
  await makeOwnFolder(folder);
  const lock = await takeLock(path.join(folder, '.sync.lock'), { holder: `process ${process.pid}`, what: 'sync' });
  if (lock.kind === 'taken') throw running(lock.holder);
  using _held = lock;
  const lists: SyncedList[] = [];
  for (const { cube, scope } of work) {
    const file = syncFile(folder, cube, url, scope);
    const given = cube.given === undefined ? undefined : (request.epics ?? (await knownParents(cube, file)));
    if (given?.length === 0) {
      if (request.cubes !== undefined) throw noParents(cube);
      continue;
    }
    await makeOwnFolder(path.dirname(file));
    const options = {
      service,
      file,
      scope,
      now: clock(),
      since: since?.('UTC'),
      given,
      onProgress: (rows: number) => onProgress?.(`${cube.name} of ${scope}: ${rows} rows`),
      signal,
    };
    const list = await syncCube(cube, options).then(
      ({ tally, error }): SyncedList => ({ cube: cube.name, scope, tally, error, isSkipped: false }),
      (error: unknown): SyncedList => {
        if (!(error instanceof SluiceError) || isOfAll(error)) throw error;
        const isSkipped = request.cubes === undefined && (error.code === 'forbidden' || error.code === 'not-found');
        return { cube: cube.name, scope, error, isSkipped };
      },
    );
    lists.push(list);
    await onList?.(list);
  }
  // If nothing of a named project or group can be read, its name or the token is wrong.
  const named = new Set([...scopes.project, ...(request.groups ?? [])]);
  const isRead = new Set(lists.flatMap(({ scope, isSkipped }) => (isSkipped ? [] : [scope])));
  return lists.map((list) => (named.has(list.scope) && !isRead.has(list.scope) ? { ...list, isSkipped: false } : list));
}

/** Whether an error of one list is one of the token or of the disk, and so of all lists. */
function isOfAll({ kind, code }: SluiceError): boolean {
  return kind === 'aborted' || code === 'token-refused' || code === 'file-unwritable';
}

/** For a list that needs the parents' numbers: the parents of earlier syncs. */
async function knownParents({ columns, given }: SyncedCube, file: string): Promise<readonly number[]> {
  const column = Object.keys(columns).find((name) => columns[name]!.from === `:${given}`) ?? '';
  return [...new Set((await readRows(file)).map((row) => Number(row[column])))];
}

function noParents({ name }: SyncedCube): InvalidInputError {
  return inputError(
    'nothing-to-sync',
    `${name} needs the number of an epic of the group.`,
    'Name it once: `--epic 5`. Later syncs bring the child epics of all that were named.',
  );
}

/** Returns one cube per folder, because the other cubes of a folder show the same rows. */
function findCubes(names: readonly string[] | undefined): readonly SyncedCube[] {
  const known = syncedCubes.map(({ name }) => name);
  const cubes = (names ?? known).map((name) => {
    const found = syncedCubes.find((cube) => cube.name.toLowerCase() === name.toLowerCase());
    if (found) return found;
    throw inputError(
      'unknown-cube',
      `There is no cube ${quote(name)} to sync.`,
      didYouMean(name, known) ?? `Use ${known.join(', ')}.`,
    );
  });
  return cubes.filter(({ folder }, index) => cubes.findIndex((cube) => cube.folder === folder) === index);
}

function findScopes(
  { projects, groups }: SyncRequest,
  usual: string | undefined,
  host: string,
): Readonly<Record<Scope, readonly string[]>> {
  const project = projects ?? (usual === undefined ? [] : [usual]);
  const above = project.flatMap((each) => (each.includes('/') ? [each.slice(0, each.lastIndexOf('/'))] : []));
  return { project, group: [...new Set(groups ?? above)], instance: [host] };
}

function nothingToSync(): InvalidInputError {
  return inputError(
    'nothing-to-sync',
    'Nothing says what to sync.',
    'Name a project (--project acme/shop) or a group (--group acme), or set `platform: {project: 42}`.',
  );
}

function running(holder: string): SluiceError {
  return new SluiceError(`Another sync of this workspace is running (${holder}).`, {
    code: 'sync-running',
    hint: 'Wait until it is done.',
  });
}
