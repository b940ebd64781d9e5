import { granularities, type Granularity } from '../time/granularity.ts';
import type { MemberCatalog } from './member-catalog.ts';
import { cubeOf, shortNameOf } from './member-name.ts';
import { bucketSynonyms, synonyms } from './synonyms.ts';

/** What a name may mean; `granularity` where it is a bucket of time. */
export interface Meaning {
  readonly name: string;
  readonly granularity?: Granularity | undefined;
}

/** Names as people say them: `page views`, `DocPath`, `browser`. Several meanings where nobody can tell which. */
export interface LooseNames {
  /** What the text means in this cube. `prefers` tells members of the wished kind. */
  readonly findIn: (cube: string, text: string, prefers: (name: string) => boolean) => readonly Meaning[];
  /** What it means in any cube. */
  readonly findAnywhere: (text: string, prefers: (name: string) => boolean) => readonly Meaning[];
  /** How many of the words are one name, in whichever cube; 0 where the first one is unknown. */
  readonly reach: (words: readonly string[]) => number;
}

/** Words of one name at most: `user hashed anonymous id`. */
const longest = 5;

/** Letter case, blanks and `_` do not count, and `Count` at the end may be left out; then come the synonyms. */
export function openLooseNames(catalog: MemberCatalog): LooseNames {
  const names = catalog.names();

  const findAnywhere: LooseNames['findAnywhere'] = (text, prefers) => toMeanings(matches(text, names, prefers));

  const findIn: LooseNames['findIn'] = (cube, text, prefers) => {
    const own = matches(text, names.filter((name) => cubeOf(name) === cube), prefers);
    if (own.length > 0) return toMeanings(own);
    const granularity = bucketSynonyms.get(joined(text));
    const time = catalog.timeMemberOf(cube);
    if (granularity && time !== undefined && catalog.find(time)) return [{ name: time, granularity }];
    const target = synonyms.get(joined(text));
    return target === undefined ? [] : toMeanings(targetsIn(cube, target, names));
  };

  const exact = new Set(names.flatMap((name) => [name, shortNameOf(name)]));
  const known = new Set(names.flatMap((name) => [joined(name), ...keysOf(shortNameOf(name))]));
  for (const [word, target] of synonyms) if (exact.has(target)) known.add(word);
  for (const word of bucketSynonyms.keys()) known.add(word);

  const reach = (words: readonly string[]): number => {
    for (let count = Math.min(longest, words.length); count > 1; count -= 1) {
      const part = words.slice(0, count);
      // Words that are all names of their own are as many names.
      if (known.has(joined(part.join(''))) && !part.every((word) => exact.has(word))) return count;
    }
    return words[0] !== undefined && known.has(withoutBucket(joined(words[0]))) ? 1 : 0;
  };

  return { findIn, findAnywhere, reach };
}

function matches(text: string, names: readonly string[], prefers: (name: string) => boolean): readonly string[] {
  const key = joined(text);
  const keyIn = text.includes('.') ? joined : (name: string) => joined(shortNameOf(name));
  const same = names.filter((name) => keyIn(name) === key);
  const counted = names.filter((name) => keyIn(name) === `${key}count`);
  return [same.filter(prefers), counted.filter(prefers), same, counted].find((found) => found.length > 0) ?? [];
}

/** In the cube, else in the only one that has it. */
function targetsIn(cube: string, target: string, names: readonly string[]): readonly string[] {
  if (target.includes('.')) return names.filter((name) => name === target);
  const all = names.filter((name) => shortNameOf(name) === target);
  const own = all.filter((name) => cubeOf(name) === cube);
  if (own.length > 0) return own;
  return all.length === 1 ? all : [];
}

function toMeanings(names: readonly string[]): readonly Meaning[] {
  return names.map((name) => ({ name }));
}

/** `Page views` and `page_views` as `pageviews`. */
function joined(text: string): string {
  return text.replace(/[\s_]+/g, '').toLowerCase();
}

function keysOf(short: string): readonly string[] {
  const key = joined(short);
  return key.endsWith('count') && key !== 'count' ? [key, key.slice(0, -'count'.length)] : [key];
}

function withoutBucket(key: string): string {
  const bucket = granularities.find((granularity) => key.endsWith(`.${granularity}`));
  return bucket ? key.slice(0, -bucket.length - 1) : key;
}
