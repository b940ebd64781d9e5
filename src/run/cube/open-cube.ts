import type { CanonicalQuery } from '../../ask/query/query.ts';
import { toLoadBody, type LoadBody } from '../../plan/load-body.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Backend } from '../backend.ts';
import type { Clock } from '../http/clock.ts';
import type { HttpClient } from '../http/http-client.ts';
import { remoteAnswer, type LoadService } from '../load/load-service.ts';
import { toRemoteBackend } from '../load/to-remote-backend.ts';
import { toCubeError } from './cube-error.ts';

export interface CubeOptions {
  /** Of the API's own address, with the token; closed with the backend. */
  readonly http: HttpClient;
  /** The API's address, for people: `https://cube.example.org/cubejs-api/v1`. */
  readonly url: string;
  readonly clock: Clock;
  /** How long an answer may be waited for while the server says `Continue wait`; as long as the caller wants where not set. */
  readonly waitBudgetMs?: number | undefined;
}

/** Answers plans by a Cube deployment's `/v1/load`. Nothing is sent before the first question. Errors: those of `toCubeError`, of `askUntilDone` and of the client. */
export async function openCube(options: CubeOptions): Promise<Backend> {
  return toRemoteBackend(toCubeService(options), { address: `${options.url.replace(/\/$/, '')}/load`, toBody, fillsDays: false, noteOf });
}

export function toCubeService({ http, url, clock, waitBudgetMs }: CubeOptions): LoadService {
  return {
    name: 'cube',
    http,
    clock,
    waitBudgetMs,
    async toRequest(endpoint, body) {
      if (endpoint === 'meta') return { method: 'GET', path: '/meta', safe: true, ...remoteAnswer(endpoint) };
      // It only reads, whatever its method.
      return { method: 'POST', path: `/${endpoint}`, json: body, safe: true, ...remoteAnswer(endpoint) };
    },
    toError: (refusal) => toCubeError(refusal, URL.canParse(url) ? new URL(url).host : url),
  };
}

/** A deployment may hold events of several projects. Where its model tells them apart, only the wanted one is asked about. */
function toBody(plan: Plan): LoadBody {
  const body = toLoadBody(plan);
  const member = projectMember(plan);
  if (plan.project === undefined || member === undefined) return body;
  const filters: CanonicalQuery['filters'] = [...(body.query.filters ?? []), { member, operator: 'equals', values: [plan.project] }];
  return { ...body, query: { ...body.query, filters } };
}

function projectMember({ root }: Plan): string | undefined {
  const dimension = root.dimensions.find(({ name }) => name === 'projectId' || name === 'project_id');
  return dimension && `${root.name}.${dimension.name}`;
}

function noteOf(plan: Plan): readonly string[] {
  if (plan.project === undefined || projectMember(plan) !== undefined) return [];
  return [`The figures are of everything that the token may see, not of project ${plan.project} alone: ${plan.root.name} tells no projects apart.`];
}
