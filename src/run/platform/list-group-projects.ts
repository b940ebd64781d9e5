import type { HttpClient } from '../http/http-client.ts';
import { paginate } from '../http/paginate.ts';
import { encodePathParameter } from '../http/query-string.ts';
import { apiPath } from './platform-options.ts';
import { projectSchema, toProjectRecord, type ProjectRecord } from './project-record.ts';

/** Every project of a group and of the groups in it, page after page, archived ones too. Errors: those of `paginate`. */
export async function* listGroupProjects(http: HttpClient, group: string, signal?: AbortSignal): AsyncGenerator<ProjectRecord, void, undefined> {
  const request = {
    method: 'GET', path: `${apiPath}/groups/${encodePathParameter(group)}/projects`, safe: true, signal,
    query: { include_subgroups: true, per_page: 100, order_by: 'id', sort: 'asc' },
  };
  for await (const project of paginate(http, request, projectSchema)) yield toProjectRecord(project);
}
