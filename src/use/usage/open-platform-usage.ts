import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import { openPlatform } from '../../run/platform/open-platform.ts';
import { listGroupProjects } from '../../run/platform/projects.ts';
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

export interface PlatformUsageSurroundings {
  readonly remote: RemoteSurroundings;
  readonly cwd: string;
  readonly now: () => number;
}

/** Usage as the platform tells it, project by project over one client. Errors: those of `platformOptions`. */
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
  // Groups name projects of their own: one for single questions need not be configured.
  const options = await platformOptions(withProject(settings.platformProject.value ?? '0'), remote);
  const { http, url } = options;
  const listGroup = async (
    { name, path = name, projects, quota }: UsageGroupSetting,
    signal?: AbortSignal,
  ): Promise<UsageGroup> => {
    if (projects) return { name, quota, projects: projects.map((id) => ({ id, name: id })) };
    const found: UsageProject[] = [];
    for await (const { id, path: full } of listGroupProjects(http, path, signal))
      found.push({ id: String(id), name: full });
    return { name, quota, projects: found };
  };
  return {
    backend: 'platform',
    source: url,
    async groups(names, _plan, signal) {
      const configured = settings.usageGroups.value;
      const single = settings.platformProject.value;
      if (names.length === 0 && configured.length === 0 && single !== undefined)
        return [{ name: 'all', projects: [{ id: single, name: single }] }];
      if (names.length === 0 && configured.length === 0) throw noGroups();
      // What is not configured may be a group of the platform's.
      const wanted =
        names.length > 0
          ? [...new Set(names)].map((name) => configured.find((group) => group.name === name) ?? { name })
          : findGroups(configured, []);
      return Promise.all(wanted.map((group) => listGroup(group, signal)));
    },
    lastDay: () => Promise.resolve(undefined),
    async count({ id }, plan, signal) {
      const own = withProject(id);
      try {
        // The client is shared, and so nothing is closed here.
        const backend = await openPlatform({ ...options, project: id });
        const { model } = await openRemoteModel(backend, {
          file: metaFile(own, remote.root),
          now: options.clock.now(),
          signal,
        });
        const session = openSession({ model, settings: own, now, cwd, remote, backend });
        return toProjectAnswer(
          await resultOf(session, askQuery(usageQuery(plan, toCatalog(model).timeMemberOf(eventsCube))), {
            signal,
            fill: 'none',
          }),
        );
      } catch (error) {
        if (error instanceof SluiceError && error.code === 'not-onboarded') return { state: 'not-onboarded' };
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

function noGroups(): InvalidInputError {
  const message = 'Specify the groups or projects to count.';
  const hint =
    'Use a group of the platform (`sluice usage acme`), a project (--project 42), or set groups in the configuration: `usage: {groups: [{name: acme, projects: [42, 7]}]}`.';
  return new InvalidInputError(message, [errorIssue('no-groups', message, { hint })], { hint });
}
