import { shortNameOf } from '../../ask/query/member-name.ts';
import {
  allProperties,
  eachValue,
  factorsOf,
  meantProperties,
  propsColumn,
  type PropertyMember,
  readPropertyMember,
  writePropertyMember,
  writePropertyName,
} from '../../ask/query/property-name.ts';
import { ownProperties } from '../../plan/model/own-properties.ts';
import type { Model } from '../../plan/model/model.ts';
import { withProperties } from '../../plan/model/properties.ts';
import { amountIn, likelyCurrencies } from '../../plan/mapping/amounts.ts';
import type { PropertyProfile } from '../../plan/model/property-members.ts';
import type { Backend, LocalBackend } from '../../run/backend.ts';

/** Adds the named properties to the model if events have them; undefined if nothing new was found. */
export type PropertySearch = (backend: Backend, names: readonly string[]) => Promise<Model | undefined>;

/** Searches events for properties. Remembers found and missing ones, so that each is searched once. */
export function openProperties(model: Model): PropertySearch {
  const searched = new Set<string>();
  const percentiles = new Set<string>();
  const products = new Map<string, PropertyMember>();
  const read = new Map<string, PropertyProfile>();
  let hasLooked = false;
  let sampled: readonly PropertyProfile[] = [];
  const declared = [...ownProperties(model).keys()].map((name) => ({ ...withoutValues, path: [name] }));
  const declaredBeside = (found: readonly PropertyProfile[]) =>
    declared.filter(({ path }) => !found.some((each) => each.path.length === 1 && each.path[0] === path[0]));

  /** Returns whether anything was searched. */
  const search = async (
    backend: LocalBackend,
    members: readonly PropertyMember[],
    looks: boolean,
    likely: readonly Pick<PropertyMember, 'path'>[] = [],
  ): Promise<boolean> => {
    const unread = new Map(members.map(({ path }) => [writePropertyName(path), path]));
    const optional = new Map(likely.map(({ path }) => [writePropertyName(path), path]));
    for (const name of searched) unread.delete(name);
    for (const name of [...searched, ...unread.keys()]) optional.delete(name);
    if (unread.size + optional.size === 0 && !looks) return false;
    const found = await backend.properties([...unread.values()], [...optional.values()]);
    hasLooked ||= found.sampled !== undefined;
    if (found.sampled) sampled = [...found.sampled, ...declaredBeside(found.sampled)];
    for (const profile of found.read) read.set(writePropertyName(profile.path), profile);
    for (const profile of declared) {
      const name = writePropertyName(profile.path);
      if (unread.has(name) && !read.has(name)) read.set(name, profile);
    }
    for (const name of [...unread.keys(), ...optional.keys()]) searched.add(name);
    return true;
  };

  return async (backend, names) => {
    if (backend.reach !== 'local') return undefined;
    const named = names.flatMap((name) => readPropertyMember(name) ?? readPropertyMember(shortNameOf(name)) ?? []);
    const meant = named.flatMap(factorsOf).map((path) => meantProperties({ compute: undefined, path }));
    const isLate = ({ path }: Pick<PropertyMember, 'path'>) => path.includes(eachValue) || path[0] === propsColumn;
    const plain = meant.flatMap((each) => each.filter((one, index) => index === 0 || !isLate(one)));
    // Notes on amounts of several currencies need them. Looked up in the same passes, so that they cost little.
    const currencies = named.flatMap(currenciesOf);
    const looks = !hasLooked && names.includes(allProperties);
    const isNew = await search(
      backend,
      plain,
      looks,
      plain.some(isLate) ? currencies : currencies.filter((each) => !isLate(each)),
    );
    const isPart = (path: readonly string[]) => read.get(writePropertyName(path))?.inLists === true;
    const isKnown = (path: readonly string[]) => read.has(writePropertyName(path));
    // Lists are searched last, because that takes longest, as are the keys of a column `props`, which few files have.
    const missing = meant.filter((each) => !each.some(({ path }) => isKnown(path) && !isPart(path)));
    const late = missing.flat().filter(isLate);
    const isNewLate = late.length > 0 && (await search(backend, late, false, currencies.filter(isLate)));
    // The values of the lists include those outside of lists.
    for (const each of meant)
      if (each.some(({ path }) => path.includes(eachValue) && isKnown(path)))
        for (const { path } of each) if (isPart(path)) read.delete(writePropertyName(path));
    const before = percentiles.size + products.size;
    for (const { compute } of named) if (compute?.startsWith('p')) percentiles.add(compute);
    for (const member of named) {
      const found = meantProperties(member).find(({ path, times }) => times && isKnown(path) && isKnown(times));
      if (found) products.set(writePropertyMember({ ...found, compute: undefined }), found);
    }
    if (!isNew && !isNewLate && percentiles.size + products.size === before) return undefined;
    return withProperties(
      model,
      {
        read: [...read.values()],
        sampled: sampled.filter(({ path }) => !searched.has(writePropertyName(path))),
        searched: [...searched, ...(hasLooked ? [allProperties] : [])],
      },
      { percentiles: [...percentiles], products: [...products.values()] },
    );
  };
}

/** A property that the model declares, if no event has it. */
const withoutValues = {
  type: 'string',
  events: 0,
  numbers: 0,
  large: 0,
  rounded: 0,
  scale: undefined,
  wholeDigits: 0,
  example: undefined,
} as const;

/**
 * Where the currency of an amount of money may be, in all readings of its name. Also for conditions on it: a later
 * question about its sum finds it known, and searches no more.
 */
function currenciesOf(member: PropertyMember): readonly Pick<PropertyMember, 'path'>[] {
  const amount = amountIn(member);
  if (!amount) return [];
  return meantProperties({ compute: undefined, path: amount }).flatMap(({ path }) =>
    likelyCurrencies(path).map((currency) => ({ path: currency })),
  );
}
