import path from 'node:path';
import { type InvalidInputError, SluiceError, invalidInput } from '../../ask/sluice-error.ts';
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

/** What to bring from the platform. */
export interface SyncRequest {
  /** Names of cubes, such as `Commits`. Default: all that the token may read. */
  readonly cubes?: readonly string[] | undefined;
  /** Numbers or full paths. Default: the project of the configuration. */
  readonly projects?: readonly string[] | undefined;
  /** Numbers or full paths. Default: the groups of the projects that are named by paths. */
  readonly groups?: readonly string[] | undefined;
  /** Numbers of epics within the groups, whose child epics are wanted. Default: those that were named before. */
  readonly epics?: readonly number[] | undefined;
  /** A date or time: where commits and activity begin. Default: where the last sync ended, or a year ago. */
  readonly since?: string | undefined;
}

/** A list that was brought, or why it was not. */
export interface SyncedList {
  /** Name of the cube. */
  readonly cube: string;
  /** The project, group or host. */
  readonly scope: string;
  /** Rows that are stored now, and what the sync did to them; undefined if it failed. */
  readonly tally?: Tally | undefined;
  /** Why it failed. */
  readonly error?: SluiceError | undefined;
  /** The token may not read it, and nobody asked for it by name: nothing is amiss. */
  readonly isSkipped: boolean;
}

export interface SyncSurroundings {
  readonly onList?: ((list: SyncedList) => void | Promise<void>) | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/**
 * Brings lists of the platform into the workspace. A list that fails does not stop the others. Errors:
 * `platform-not-configured`, `token-missing`, `InvalidInputError` (`unknown-cube`, `nothing-to-sync`), `sync-running`.
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
      (tally): SyncedList => ({ cube: cube.name, scope, tally, isSkipped: false }),
      (error: unknown): SyncedList => {
        if (!(error instanceof SluiceError) || error.kind === 'aborted' || error.code === 'token-refused') throw error;
        const isSkipped = request.cubes === undefined && (error.code === 'forbidden' || error.code === 'not-found');
        return { cube: cube.name, scope, error, isSkipped };
      },
    );
    lists.push(list);
    await onList?.(list);
  }
  return lists;
}

/** Of a list that is one of each number that the caller names: those that were named before. */
async function knownParents({ columns, given }: SyncedCube, file: string): Promise<readonly number[]> {
  const column = Object.keys(columns).find((name) => columns[name]!.from === `:${given}`) ?? '';
  return [...new Set((await readRows(file)).map((row) => Number(row[column])))];
}

function noParents({ name }: SyncedCube): InvalidInputError {
  const message = `${name} needs the number of an epic of the group.`;
  const hint = 'Name it once: `--epic 5`. Later syncs bring the child epics of all that were named.';
  return invalidInput('nothing-to-sync', message, hint);
}

/** One cube of each folder: others show the same rows in another way. */
function findCubes(names: readonly string[] | undefined): readonly SyncedCube[] {
  const known = syncedCubes.map(({ name }) => name);
  const cubes = (names ?? known).map((name) => {
    const found = syncedCubes.find((cube) => cube.name.toLowerCase() === name.toLowerCase());
    if (found) return found;
    const message = `There is no cube ${quote(name)} to sync.`;
    const hint = didYouMean(name, known) ?? `Use ${known.join(', ')}.`;
    throw invalidInput('unknown-cube', message, hint);
  });
  return [...new Map(cubes.map((cube) => [cube.folder, cube])).values()];
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
  const message = 'Nothing says what to sync.';
  const hint = 'Name a project (--project acme/shop) or a group (--group acme), or set `platform: {project: 42}`.';
  return invalidInput('nothing-to-sync', message, hint);
}

function running(holder: string): SluiceError {
  return new SluiceError(`Another sync of this workspace is running (${holder}).`, {
    code: 'sync-running',
    hint: 'Wait until it is done.',
  });
}
