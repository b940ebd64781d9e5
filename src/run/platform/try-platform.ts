import * as z from 'zod';
import { SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { askUntilDone } from '../load/ask-until-done.ts';
import { readMetaNames, requestMeta } from '../load/request-meta.ts';
import { toPlatformService } from './open-platform.ts';
import { toPlatformError } from './platform-error.ts';
import { apiPath, hostOf, type PlatformOptions } from './platform-options.ts';
import { fetchProject, getJson, type ProjectRecord } from './projects.ts';

/** What can be found out about a platform and a project there, part by part: one fault hides no other. */
export interface PlatformFindings {
  /** Whose token it is; undefined where the platform does not say. */
  readonly user?: { readonly username: string; readonly name: string } | undefined;
  readonly project?: ProjectRecord | undefined;
  /** Whether the project has analytics; undefined where it could not be found out. */
  readonly onboarded?: boolean | undefined;
  /** Names of the cubes that can be asked; undefined where the platform does not tell. */
  readonly cubes?: readonly string[] | undefined;
  /** What stands in the way, the weightiest first. */
  readonly problems: readonly SluiceError[];
}

/** Tries a platform. Rejects only with `AbortedError`, and with what is a bug; the client stays open. */
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
  // Who cannot get in or through learns nothing further.
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

/** One figure, and what stands around it. */
const mostCountBytes = 1024 * 1024;

const userSchema = z.looseObject({ username: z.string(), name: z.string().nullish() });

/** Undefined where the token may not ask that: then others tell whether it is good. */
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
