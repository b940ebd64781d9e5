import { AbortedError, inputError, type InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import { fetchBilledEvents } from '../../run/platform/billed-events.ts';
import { openPlatform } from '../../run/platform/open-platform.ts';
import { fetchProject, listGroupProjects } from '../../run/platform/projects.ts';
import { eventsCube, toProjectAnswer, usageQuery } from '../../tell/usage/usage-days.ts';
import type { UsageGroup, UsageProject } from '../../tell/usage/usage.ts';
import { resultOf } from '../answer/answer-question.ts';
import { askQuery } from '../answer/question.ts';
import type { Settings, UsageGroupSetting } from '../config/settings.ts';
import { knownAtOf } from '../workspace/open-backend.ts';
import { platformOptions, type RemoteSurroundings } from '../workspace/open-remote.ts';
import { metaFile, openRemoteModel } from '../workspace/remote-model.ts';
import { openSession } from '../workspace/session.ts';
import { findGroups, type UsageSource } from './usage-source.ts';

interface PlatformUsageSurroundings {
  readonly remote: RemoteSurroundings;
  readonly cwd: string;
  readonly now: () => number;
}

/** Counts usage on the platform, one project at a time over one client. Throws as `platformOptions`. */
export async function openPlatformUsage(
  settings: Settings,
  { remote, cwd, now }: PlatformUsageSurroundings,
): Promise<UsageSource> {
  await knownAtOf(settings);
  const withProject = (project: string): Settings => ({
    ...settings,
    project: { value: undefined, origin: 'usage' },
    platformProject: { value: project, origin: 'usage' },
  });
  // Groups name their projects, so `platform.project` need not be configured.
  const options = await platformOptions(withProject(settings.platformProject.value ?? '0'), remote);
  const { http, url } = options;
  /** Projects by number, so that the number and the path of a project count as one project. */
  const known = new Map<number, UsageProject>();
  const keep = (number: number, project: UsageProject): UsageProject => {
    const found = known.get(number) ?? project;
    known.set(number, found);
    return found;
  };
  const findListed = async (id: string, signal?: AbortSignal) => {
    try {
      const found = await fetchProject({ http, url, project: id }, signal);
      return 'record' in found ? found.record : undefined;
    } catch (error) {
      // Without its record, the project is counted under the given name. Errors of the platform appear when it is
      // counted.
      if (error instanceof AbortedError || !(error instanceof SluiceError)) throw error;
      return undefined;
    }
  };
  const listGroup = async (
    { name, path = name, projects, quota }: UsageGroupSetting,
    signal?: AbortSignal,
  ): Promise<UsageGroup> => {
    if (projects) {
      const records = new Map(
        await Promise.all([...new Set(projects)].map(async (id) => [id, await findListed(id, signal)] as const)),
      );
      return {
        name,
        quota,
        projects: projects.map((id) => {
          const record = records.get(id);
          return record ? keep(record.id, { id, name: record.path, number: String(record.id) }) : { id, name: id };
        }),
      };
    }
    const found: UsageProject[] = [];
    for await (const { id, path: full } of listGroupProjects(http, path, signal))
      found.push(keep(id, { id: String(id), name: full }));
    return { name, quota, projects: found };
  };
  return {
    backend: 'platform',
    source: url,
    async groups(names, _plan, signal) {
      const configured = settings.usageGroups.value;
      const single = settings.platformProject.value;
      if (names.length === 0 && configured.length === 0 && single !== undefined)
        return [await listGroup({ name: 'all', projects: [single] }, signal)];
      if (names.length === 0 && configured.length === 0) throw noGroups();
      // Names that are not configured may be groups of the platform.
      const wanted =
        names.length > 0
          ? [...new Set(names)].map((name) => configured.find((group) => group.name === name) ?? { name })
          : findGroups(configured, []);
      // Sequential: if several groups list a project, the first one names it.
      const groups: UsageGroup[] = [];
      for (const group of wanted) groups.push(await listGroup(group, signal));
      return groups;
    },
    lastDay: () => Promise.resolve(undefined),
    async count({ id, name }, plan, signal) {
      const own = withProject(id);
      try {
        // The client is shared, so nothing is closed here.
        const backend = await openPlatform({ ...options, project: id });
        const { model } = await openRemoteModel(backend, {
          file: metaFile(own, remote.root),
          now: options.clock.now(),
          signal,
        });
        const session = openSession({ model, settings: own, now, cwd, remote, backend });
        const counted = toProjectAnswer(
          await resultOf(session, askQuery(usageQuery(plan, toCatalog(model).timeMemberOf(eventsCube))), {
            signal,
            fill: 'none',
          }),
        );
        // Billed events can only be fetched by path.
        if (counted.state !== 'counted' || !name.includes('/')) return counted;
        const [year = 0, month = 0] = plan.reported.month.split('-').map(Number);
        return { ...counted, billed: await fetchBilledEvents(http, name, { year, month }, signal) };
      } catch (error) {
        if (error instanceof SluiceError && error.code === 'not-onboarded') return { state: 'not-onboarded' };
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

function noGroups(): InvalidInputError {
  return inputError(
    'no-groups',
    'Specify the groups or projects to count.',
    'Use a group of the platform (`sluice usage acme`), a project (--project 42), ' +
      'or set groups in the configuration: `usage: {groups: [{name: acme, projects: [42, 7]}]}`.',
  );
}
