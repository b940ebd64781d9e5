import { decoded } from '../../run/http/address.ts';
import type { Project } from './projects.ts';

/** The action of a load URL. */
export type LoadAction = 'load' | 'dry-run' | 'meta' | 'sql';

export type Route =
  | { readonly kind: 'health' }
  | { readonly kind: 'cube'; readonly action: LoadAction | undefined }
  | { readonly kind: 'platform-load'; readonly project: string; readonly action: Exclude<LoadAction, 'sql'> }
  | { readonly kind: 'platform-project'; readonly project: string }
  | { readonly kind: 'platform-user' }
  | { readonly kind: 'platform-unknown' }
  | { readonly kind: 'unknown' };

const cubeActions: Readonly<Record<string, LoadAction>> = {
  load: 'load',
  'dry-run': 'dry-run',
  meta: 'meta',
  sql: 'sql',
};
const platformActions: Readonly<Record<string, Exclude<LoadAction, 'sql'>>> = {
  load: 'load',
  'dry-run': 'dry-run',
  meta: 'meta',
};

/** Parses a path. Each segment is decoded separately, so that `%2F` stays inside a project's path. */
export function toRoute(path: string): Route {
  if (path === '/readyz' || path === '/livez') return { kind: 'health' };
  const steps = path.split('/').slice(1);
  if (steps[0] === 'cubejs-api')
    return { kind: 'cube', action: steps.length === 3 && steps[1] === 'v1' ? own(cubeActions, steps[2]) : undefined };
  if (steps[0] !== 'api' || steps[1] !== 'v4') return { kind: 'unknown' };
  const [resource, id, ...rest] = steps.slice(2);
  if (resource === 'user' && id === undefined) return { kind: 'platform-user' };
  const project = resource === 'projects' && id !== undefined ? decoded(id) || undefined : undefined;
  if (project === undefined) return { kind: 'platform-unknown' };
  if (rest.length === 0) return { kind: 'platform-project', project };
  const action =
    rest.length === 3 && rest[0] === 'product_analytics' && rest[1] === 'request'
      ? own(platformActions, rest[2])
      : undefined;
  return action ? { kind: 'platform-load', project, action } : { kind: 'platform-unknown' };
}

function own<T>(table: Readonly<Record<string, T>>, key: string | undefined): T | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The platform's project resource, reduced to what identifies the project. */
export function toProjectResource({ id, name }: Project): object {
  const [last = name] = name.split('/').toReversed();
  return {
    id,
    description: null,
    name: last,
    name_with_namespace: name.split('/').join(' / '),
    path: last,
    path_with_namespace: name,
  };
}

/** The user of every token, because this server has no accounts. */
export const userResource = { id: 1, username: 'sluice', name: 'sluice', state: 'active' } as const;
