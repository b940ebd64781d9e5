import type { CanonicalQuery } from '../../ask/query/query.ts';
import { type BackendError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { type LoadBody, toLoadBody } from '../../plan/load-body.ts';
import type { Plan } from '../../plan/plan.ts';
import type { RemoteBackend } from '../backend.ts';
import type { Clock } from '../http/clock.ts';
import type { HttpClient } from '../http/http-client.ts';
import { type LoadService, type Refusal, remoteAnswer } from '../load/load-service.ts';
import { readMetaNames, requestMeta } from '../load/request-meta.ts';
import { errorOf, toCommonError } from '../load/service-error.ts';
import { toRemoteBackend } from '../load/to-remote-backend.ts';

export interface CubeOptions {
  /** A client for the API's address, with the token. It is closed with the backend. */
  readonly http: HttpClient;
  /** The API's address, for messages: `https://cube.example.org/cubejs-api/v1`. */
  readonly url: string;
  readonly clock: Clock;
  /** Maximum time to wait while the server answers `Continue wait`; unlimited by default. */
  readonly waitBudgetMs?: number | undefined;
}

/**
 * Answers plans with a Cube deployment's `/v1/load`. Sends nothing before the first question. Errors: those of
 * `toCubeError`, of `askUntilDone` and of the client.
 */
export async function openCube(options: CubeOptions): Promise<RemoteBackend> {
  return toRemoteBackend(toCubeService(options), {
    address: `${options.url.replace(/\/$/, '')}/load`,
    toBody,
    fillsDays: false,
    noteOf,
  });
}

export function toCubeService({ http, url, clock, waitBudgetMs }: CubeOptions): LoadService {
  return {
    name: 'cube',
    http,
    clock,
    waitBudgetMs,
    async toRequest(endpoint, body) {
      if (endpoint === 'meta') return { method: 'GET', path: '/meta', safe: true, ...remoteAnswer(endpoint) };
      // It only reads, despite POST.
      return { method: 'POST', path: `/${endpoint}`, json: body, safe: true, ...remoteAnswer(endpoint) };
    },
    toError: (refusal) => toCubeError(refusal, URL.canParse(url) ? new URL(url).host : url),
  };
}

/**
 * A deployment may contain events of several projects. If its model distinguishes them, filters by the plan's project.
 */
function toBody(plan: Plan): LoadBody {
  const body = toLoadBody(plan);
  const member = projectMember(plan);
  if (plan.project === undefined || member === undefined) return body;
  const filters: CanonicalQuery['filters'] = [
    ...(body.query.filters ?? []),
    { member, operator: 'equals', values: [plan.project] },
  ];
  return { ...body, query: { ...body.query, filters } };
}

function projectMember({ root }: Plan): string | undefined {
  const dimension = root.dimensions.find(({ name }) => name === 'projectId' || name === 'project_id');
  return dimension && `${root.name}.${dimension.name}`;
}

function noteOf(plan: Plan): readonly string[] {
  if (plan.project === undefined || projectMember(plan) !== undefined) return [];
  return [
    `The figures cover all projects of the token, not only project ${plan.project}: ` +
      `${plan.root.name} has no project dimension.`,
  ];
}

/**
 * Converts a refusal of a Cube deployment to an error with a hint. Codes: `token-missing`, `token-refused`, and those
 * of `toCommonError`. Source: Cube's API gateway, which answers 403 for every fault of the token.
 */
function toCubeError(refusal: Refusal, host: string): BackendError {
  const { status, words } = refusal;
  const error = errorOf(refusal);
  if (status === 401 || status === 403) {
    if (/header isn't set/i.test(words.text))
      return error(
        'token-missing',
        `${host} requires a token`,
        'Set SLUICE_CUBE_TOKEN, or specify a file or command: cube.tokenFile, cube.tokenCommand.',
      );
    if (status === 401 || /token|jwt|expired|unauthori/i.test(words.text)) {
      return error(
        'token-refused',
        `${host} does not accept the token`,
        'The token may have expired, or be signed with another secret. Run `sluice doctor` to see its source.',
      );
    }
  }
  if (status === 404 && words.kind !== 'json') {
    return error(
      'endpoint-not-found',
      `There is no Cube API at ${refusal.url}`,
      'Use a URL that ends in /cubejs-api/v1, unless the deployment has its own base path.',
    );
  }
  return toCommonError(refusal, host);
}

interface CubeFindings {
  /** Names of the available cubes; undefined if they could not be fetched. */
  readonly cubes?: readonly string[] | undefined;
  /** Problems found. */
  readonly problems: readonly SluiceError[];
}

/** Tries a Cube deployment. Rejects only with `AbortedError` or because of a bug. The client stays open. */
export async function tryCube(options: CubeOptions, signal?: AbortSignal): Promise<CubeFindings> {
  try {
    return { cubes: readMetaNames(await requestMeta(toCubeService(options), { signal })), problems: [] };
  } catch (error) {
    throwIfAborted(signal);
    if (!(error instanceof SluiceError)) throw error;
    return { problems: [error] };
  }
}
