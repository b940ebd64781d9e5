import { shortNameOf } from '../../ask/query/member-name.ts';
import { allProperties, otherProperty, readPropertyMember, writePropertyName } from '../../ask/query/property-name.ts';
import type { Model } from '../../plan/model/model.ts';
import { type KnownProperties, type PropertyProfile, withProperties } from '../../plan/model/properties.ts';
import type { Backend } from '../../run/backend.ts';

/** Adds the named properties to the model if events have them; undefined if nothing new was found. */
export type PropertySearch = (backend: Backend, names: readonly string[]) => Promise<Model | undefined>;

/** Searches events for properties. Remembers found and missing ones, so that each is searched once. */
export function openProperties(model: Model): PropertySearch {
  const searched = new Set<string>();
  const functions = new Set<string>();
  const read = new Map<string, PropertyProfile>();
  let hasLooked = false;
  let sampled: KnownProperties['sampled'] = [];
  return async (backend, names) => {
    if (backend.reach !== 'local') return undefined;
    const named = names.flatMap((name) => readPropertyMember(name) ?? readPropertyMember(shortNameOf(name)) ?? []);
    const asked = [...named, ...named.flatMap((member) => otherProperty(member) ?? [])];
    const isNew = asked.filter(
      ({ compute, path }) =>
        !searched.has(writePropertyName(path)) || (compute?.startsWith('p') === true && !functions.has(compute)),
    );
    const looks = !hasLooked && names.includes(allProperties);
    if (isNew.length === 0 && !looks) return undefined;
    const paths = new Map(isNew.map(({ path }) => [writePropertyName(path), path]));
    const unread = [...paths].filter(([name]) => !searched.has(name));
    if (unread.length > 0 || looks) {
      hasLooked = true;
      const found = await backend.properties(unread.map(([, path]) => path));
      sampled = found.sampled;
      for (const profile of found.read) read.set(writePropertyName(profile.path), profile);
      for (const [name] of unread) searched.add(name);
    }
    for (const { compute } of isNew) if (compute?.startsWith('p')) functions.add(compute);
    return withProperties(
      model,
      { read: [...read.values()], sampled: sampled.filter(({ path }) => !searched.has(writePropertyName(path))) },
      [...functions],
    );
  };
}
