import { AbortedError } from '../../ask/sluice-error.ts';
import { day } from '../../ask/time/granularity.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { askedRanges } from '../../plan/asked-ranges.ts';
import type { Plan } from '../../plan/plan.ts';
import type { RemoteBackend } from '../backend.ts';
import type { HttpRequest } from '../http/http-client.ts';
import { type LoadService, remoteAnswer } from '../load/load-service.ts';
import { toRemoteBackend } from '../load/to-remote-backend.ts';
import { toPlatformError } from './platform-error.ts';
import { apiPath, hostOf, type PlatformOptions } from './platform-options.ts';
import { findProject, type FoundProject } from './projects.ts';

/**
 * Answers plans with the platform's `product_analytics/request/load`, for one project. Sends nothing before the first
 * question, and looks up a project's path only once. Errors: those of `toPlatformError`, of `askUntilDone` and of the
 * client.
 */
export async function openPlatform(options: PlatformOptions): Promise<RemoteBackend> {
  const { url, project } = options;
  return toRemoteBackend(toPlatformService(options), {
    address: `${url.replace(/\/$/, '')}${apiPath}/projects/${encodeURIComponent(project)}/${endpointPath('load')}?queryType=multi`,
    fillsDays: true,
    noteOf: noteRetention,
  });
}

/** The platform's load service, also for other requests. */
export function toPlatformService(options: PlatformOptions): LoadService {
  const { http, url, project, clock, captcha, waitBudgetMs } = options;
  let found: Promise<FoundProject> | undefined;
  let byPath = false;
  const find = async (signal: AbortSignal | undefined): Promise<FoundProject> => {
    found ??= findProject(options, signal).catch((error: unknown) => {
      // A later try may find it.
      found = undefined;
      throw error;
    });
    try {
      return await found;
    } catch (error) {
      // Only the caller that started the lookup was aborted, not this one.
      if (!(error instanceof AbortedError) || signal?.aborted) throw error;
      return find(signal);
    }
  };
  return {
    name: 'platform',
    http,
    clock,
    waitBudgetMs,
    async toRequest(endpoint, body, signal): Promise<HttpRequest> {
      const at = await find(signal);
      ({ byPath } = at);
      return {
        method: 'POST',
        path: `${apiPath}/projects/${at.parameter}/${endpointPath(endpoint)}`,
        ...(endpoint === 'meta' ? {} : { query: { queryType: 'multi' } }),
        json: body,
        ...(captcha && {
          headers: {
            'x-service-captcha-response': captcha.response,
            'x-service-spam-log-id': captcha.spamLogId,
          },
        }),
        // It only reads, despite POST.
        safe: true,
        ...remoteAnswer(endpoint),
      };
    },
    toError: (refusal) => toPlatformError(refusal, { host: hostOf(url), project, byPath }),
  };
}

function endpointPath(endpoint: string): string {
  return `product_analytics/request/${endpoint}`;
}

/** Source: the platform's documentation of its managed provider. A self-managed cluster may keep more. */
function noteRetention(plan: Plan): readonly string[] {
  const first = Math.min(...askedRanges(plan).map(({ start }) => start));
  if (first >= plan.now - 366 * day) return [];
  return [
    "The platform's managed provider keeps events for one year. " +
      `The range begins on ${writeUtc(first).slice(0, 10)}, so older events may be missing.`,
  ];
}
