import type { Project } from './projects.ts';

/** The part of the platform's project resource that tells which project it is. */
export function toProjectResource({ id, name }: Project): object {
  const [last = name] = name.split('/').toReversed();
  return { id, description: null, name: last, name_with_namespace: name.split('/').join(' / '), path: last, path_with_namespace: name };
}

/** Whoever holds the token: this server knows no people. */
export const userResource = { id: 1, username: 'sluice', name: 'sluice', state: 'active' } as const;
