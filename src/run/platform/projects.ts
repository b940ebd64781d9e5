import * as z from 'zod';
import { nullIsFalse } from '../../ask/platform/record.ts';
import type { HttpClient } from '../http/http-client.ts';
import { paginate } from '../http/paginate.ts';
import { encodePathParameter } from '../http/query-string.ts';
import { readServerWords } from '../load/server-words.ts';
import { projectNotFound, toPlatformError } from './platform-error.ts';
import { type PlatformOptions, apiPath, hostOf } from './platform-options.ts';

/** The fields of a platform project that are used here. */
export interface ProjectRecord {
  readonly id: number;
  readonly name: string;
  /** Full path: `group/project`. */
  readonly path: string;
  readonly archived: boolean;
}

/** Unknown keys are ignored. */
const projectSchema = z.looseObject({
  id: z.int().positive(),
  name: z.string().nullish(),
  path_with_namespace: z.string().nullish(),
  archived: nullIsFalse,
});

/** undefined if it is not a project. */
function readProjectRecord(value: unknown): ProjectRecord | undefined {
  const read = projectSchema.safeParse(value);
  return read.success ? toProjectRecord(read.data) : undefined;
}

function toProjectRecord({
  id,
  name,
  path_with_namespace: path,
  archived,
}: z.infer<typeof projectSchema>): ProjectRecord {
  return { id, name: name ?? String(id), path: path ?? String(id), archived };
}

/** The form of a project in the address of a request. */
export interface FoundProject {
  /** Its number, or its encoded path if the number is not available. */
  readonly parameter: string;
  readonly byPath: boolean;
}

/**
 * Endpoints of analytics accept only a project's number, so a path is looked up. If that is not allowed, for example
 * because the token's scope is too narrow, the encoded path is sent. Errors: `token-refused`, and those of the client.
 */
export async function findProject(options: PlatformOptions, signal?: AbortSignal): Promise<FoundProject> {
  const { project } = options;
  if (/^\d+$/.test(project)) return { parameter: project, byPath: false };
  const found = await fetchProject(options, signal);
  if ('record' in found) return { parameter: String(found.record.id), byPath: false };
  if (found.status === 401) throw found.error();
  return { parameter: encodePathParameter(project), byPath: true };
}

type FetchedProject = { readonly record: ProjectRecord } | { readonly status: number; readonly error: () => Error };

/** The project's record, by number or path. */
export async function fetchProject(
  { http, url, project }: Pick<PlatformOptions, 'http' | 'url' | 'project'>,
  signal?: AbortSignal,
): Promise<FetchedProject> {
  const { status, words, body, at, strayed } = await getJson(
    http,
    `${apiPath}/projects/${encodePathParameter(project)}`,
    signal,
  );
  const record = status === 200 ? readProjectRecord(body) : undefined;
  if (record) return { record };
  const refusal = { status, words, url: at, strayed };
  const place = { host: hostOf(url), project };
  return { status, error: () => (status === 404 ? projectNotFound(refusal, place) : toPlatformError(refusal, place)) };
}

/** Sends a GET and reads any response. */
export async function getJson(http: HttpClient, path: string, signal?: AbortSignal) {
  const response = await http.request({ method: 'GET', path, safe: true, signal });
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return {
    status: response.status,
    words: readServerWords(text, http.redact),
    body,
    at: response.url,
    strayed: response.strayed,
  };
}

/** Every project of a group and its subgroups, page by page, including archived ones. Errors: those of `paginate`. */
export async function* listGroupProjects(
  http: HttpClient,
  group: string,
  signal?: AbortSignal,
): AsyncGenerator<ProjectRecord, void, undefined> {
  const request = {
    method: 'GET',
    path: `${apiPath}/groups/${encodePathParameter(group)}/projects`,
    safe: true,
    signal,
    query: { include_subgroups: true, per_page: 100, order_by: 'id', sort: 'asc' },
  };
  for await (const project of paginate(http, request, projectSchema)) yield toProjectRecord(project);
}
