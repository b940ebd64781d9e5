import * as z from 'zod';
import { SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { askUntilDone } from '../load/ask-until-done.ts';
import { readMetaNames, requestMeta } from '../load/request-meta.ts';
import { toPlatformService } from './open-platform.ts';
import { toPlatformError } from './platform-error.ts';
import { apiPath, hostOf, type PlatformOptions } from './platform-options.ts';
import { fetchProject, getJson, type ProjectRecord } from './projects.ts';

/** Findings about a platform and a project. Each part is tested separately, so that one fault hides no other. */
export interface PlatformFindings {
  /** The owner of the token; undefined if the platform does not return it. */
  readonly user?: { readonly username: string; readonly name: string } | undefined;
  readonly project?: ProjectRecord | undefined;
  /** True if the project has analytics; undefined if this is unknown. */
  readonly onboarded?: boolean | undefined;
  /** Names of the available cubes; undefined if the platform does not return them. */
  readonly cubes?: readonly string[] | undefined;
  /** The problems, most important first. */
  readonly problems: readonly SluiceError[];
}

/** Tries a platform. Rejects only with `AbortedError` or because of a bug. The client stays open. */
export async function tryPlatform(options: PlatformOptions, signal?: AbortSignal): Promise<PlatformFindings> {
  const problems: SluiceError[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof SluiceError)) throw error;
      if (!problems.some(({ code }) => code === error.code)) problems.push(error);
      return undefined;
    }
  };
  const user = await attempt(() => fetchUser(options, signal));
  // Without access, further requests reveal nothing.
  if (problems.length > 0) return { problems };
  const project = await attempt(() => projectOf(options, signal));
  const service = toPlatformService(project ? { ...options, project: String(project.id) } : options);
  const cubes = await attempt(async () => readMetaNames(await requestMeta(service, { signal })));
  const counted = await attempt(async () => {
    const request = await service.toRequest(
      'load',
      { query: { measures: ['TrackedEvents.count'], limit: 1 }, queryType: 'multi' },
      signal,
    );
    await askUntilDone(service, { ...request, maxBytes: mostCountBytes }, { signal });
    return true;
  });
  const onboarded = counted ?? (problems.some(({ code }) => code === 'not-onboarded') ? false : undefined);
  return {
    user,
    project,
    onboarded,
    cubes,
    problems: cubes === undefined && counted ? problems.filter(({ code }) => code !== 'endpoint-not-found') : problems,
  };
}

/** One figure and its envelope. */
const mostCountBytes = 1024 * 1024;

const userSchema = z.looseObject({ username: z.string(), name: z.string().nullish() });

/** undefined if the token may not read the user; other requests then show whether it is valid. */
async function fetchUser(
  { http, url, project }: PlatformOptions,
  signal?: AbortSignal,
): Promise<PlatformFindings['user']> {
  const { status, words, body, at, strayed } = await getJson(http, `${apiPath}/user`, signal);
  if (status === 401) throw toPlatformError({ status, words, url: at, strayed }, { host: hostOf(url), project });
  const read = status === 200 ? userSchema.safeParse(body) : undefined;
  return read?.success ? { username: read.data.username, name: read.data.name ?? read.data.username } : undefined;
}

async function projectOf(options: PlatformOptions, signal?: AbortSignal): Promise<ProjectRecord> {
  const found = await fetchProject(options, signal);
  if ('record' in found) return found.record;
  throw found.error();
}
