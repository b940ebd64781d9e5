import { shorten } from '../../../ask/query/notation/write-notation.ts';
import { granularities } from '../../../ask/time/granularity.ts';
import type { Catalog, Found } from '../../../plan/model/catalog.ts';
import { reachableCubes } from '../../../plan/model/read/reachable-cubes.ts';
import type { Candidate } from './completion.ts';
import type { Slot } from './find-slot.ts';

/** Members of these kinds that can be named, those of the line's own cube first, and no cube that the line cannot reach. */
export function offerMembers(catalog: Catalog, kinds: readonly Found['kind'][], { cube, asked }: Pick<Slot, 'cube' | 'asked'>): readonly Candidate[] {
  const reached = asked.length === 0 ? undefined : reachableCubes(catalog.model).get(cube);
  const names = kinds.flatMap((kind) => catalog.names(kind)).filter((name) => reached?.has(name.split('.')[0] ?? '') ?? true);
  const own = names.filter((name) => name.startsWith(`${cube}.`));
  return [...own, ...names.filter((name) => !name.startsWith(`${cube}.`))].flatMap((name) => offerMember(catalog, name, cube) ?? []);
}

/** undefined: there is no such member. */
export function offerMember(catalog: Catalog, name: string, cube: string): Candidate | undefined {
  const found = catalog.find(name);
  if (!found) return undefined;
  const text = shorten(name, cube);
  const { shortTitle, title, description = '' } = found.member;
  if (found.kind === 'measure' && found.cube.source.kind === 'funnel') return { text, label: text, title: `${found.cube.title}: ${shortTitle}`, description: found.cube.description ?? description, kind: 'funnel' };
  const kind = found.kind === 'dimension' && found.member.type === 'time' ? 'time' : found.kind;
  return { text, label: text, title: name.startsWith(`${cube}.`) ? shortTitle : title, description, kind };
}

/** `utcTime.day`, for times that are written with their bucket. */
export function offerBuckets(catalog: Catalog, cube: string, typed: string): readonly Candidate[] {
  const dot = typed.lastIndexOf('.');
  const written = typed.slice(0, Math.max(0, dot));
  const found = catalog.find(written) ?? catalog.find(`${cube}.${written}`);
  if (found?.kind !== 'dimension' || found.member.type !== 'time') return [];
  return granularities.map((granularity) => ({ text: `${written}.${granularity}`, label: `${written}.${granularity}`, title: `${found.member.shortTitle} by ${granularity}`, description: '', kind: 'granularity' }));
}
