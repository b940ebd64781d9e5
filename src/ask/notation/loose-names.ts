import type { MemberCatalog } from '../query/member-catalog.ts';
import { cubeOf, shortNameOf } from '../query/member-name.ts';
import { nearest } from '../suggest.ts';
import { granularities, type Granularity } from '../time/granularity.ts';

/** A possible meaning of a name; `granularity` is set if it is a bucket of time. */
export interface Meaning {
  readonly name: string;
  readonly granularity?: Granularity | undefined;
}

/** Loosely matched names: `page views`, `DocPath`, `browser`. Ambiguous words have several meanings. */
export interface LooseNames {
  /** Meanings of the text in this cube. `prefers` tells whether a member is of the preferred kind. */
  readonly findIn: (cube: string, text: string, prefers: (name: string) => boolean) => readonly Meaning[];
  /** Meanings of the text in any cube. */
  readonly findAnywhere: (text: string, prefers: (name: string) => boolean) => readonly Meaning[];
  /** How many of the leading words form one name in any cube; 0 if the first one is unknown. */
  readonly reach: (words: readonly string[]) => number;
  /** The nearest name to a misspelled one. */
  readonly near: (text: string) => string | undefined;
}

/** The most words in one name: `user hashed anonymous id`. */
const longest = 5;

interface Words {
  /** Names, with and without their cubes. */
  readonly exact: ReadonlySet<string>;
  /** Lookup keys of the names, in lower case and without spaces. */
  readonly known: ReadonlySet<string>;
}

/** Cached for each list of names, because the explorer parses the line again with every key. */
const words = new WeakMap<readonly string[], Words>();

function wordsOf(names: readonly string[]): Words {
  const found = words.get(names);
  if (found) return found;
  const exact = new Set(names.flatMap((name) => [name, shortNameOf(name)]));
  const known = new Set(names.flatMap((name) => [joined(name), ...keysOf(shortNameOf(name))]));
  for (const [word, target] of synonyms) if (exact.has(target)) known.add(word);
  for (const word of bucketSynonyms.keys()) known.add(word);
  words.set(names, { exact, known });
  return { exact, known };
}

/** Ignores letter case, spaces and `_`; `Count` at the end is optional. Synonyms come last. */
export function openLooseNames(catalog: MemberCatalog): LooseNames {
  const names = catalog.names();

  const findAnywhere: LooseNames['findAnywhere'] = (text, prefers) => toMeanings(matches(text, names, prefers));

  const findIn: LooseNames['findIn'] = (cube, text, prefers) => {
    const own = matches(
      text,
      names.filter((name) => cubeOf(name) === cube),
      prefers,
    );
    if (own.length > 0) return toMeanings(own);
    const granularity = bucketSynonyms.get(joined(text));
    const time = catalog.timeMemberOf(cube);
    if (granularity && time !== undefined && catalog.find(time)) return [{ name: time, granularity }];
    const target = synonyms.get(joined(text));
    return target === undefined ? [] : toMeanings(targetsIn(cube, target, names));
  };

  const { exact, known } = wordsOf(names);
  const reach = (words: readonly string[]): number => {
    for (let count = Math.min(longest, words.length); count > 1; count -= 1) {
      const part = words.slice(0, count);
      // Words that are all exact names stay separate names.
      if (known.has(joined(part.join(''))) && !part.every((word) => exact.has(word))) return count;
    }
    return words[0] !== undefined && known.has(withoutBucket(joined(words[0]))) ? 1 : 0;
  };

  return { findIn, findAnywhere, reach, near: (text) => nearest(joined(text), known) };
}

function matches(text: string, names: readonly string[], prefers: (name: string) => boolean): readonly string[] {
  const key = joined(text);
  const keyIn = text.includes('.') ? joined : (name: string) => joined(shortNameOf(name));
  const same = names.filter((name) => keyIn(name) === key);
  const counted = names.filter((name) => keyIn(name) === `${key}count`);
  return [same.filter(prefers), counted.filter(prefers), same, counted].find((found) => found.length > 0) ?? [];
}

/** Members in the cube, or else in the only other cube that has one. */
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

/** Turns `Page views` and `page_views` into `pageviews`. */
export function joined(text: string): string {
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

/**
 * Synonyms for members of the built-in cubes: words without spaces, in lower case. A short name belongs to the current
 * cube. A synonym counts only if its member exists and no other member has that name.
 */
const synonyms: ReadonlyMap<string, string> = new Map([
  ...['page', 'pages', 'path', 'paths', 'urlpath', 'urlpaths'].map((word) => [word, 'docPath'] as const),
  ...['browser', 'browsers'].map((word) => [word, 'agentName'] as const),
  ...['browserversion', 'browserversions'].map((word) => [word, 'agentVersion'] as const),
  ...['host', 'hosts'].map((word) => [word, 'docHost'] as const),
  ...['referrer', 'referrers', 'referers'].map((word) => [word, 'referer'] as const),
  ...['title', 'titles'].map((word) => [word, 'pageTitle'] as const),
  ...['users', 'visitors', 'activeusers', 'activevisitors'].map((word) => [word, 'uniqueUsersCount'] as const),
  ...['weekdays', 'dayofweek'].map((word) => [word, 'weekday'] as const),
  ...['os', 'operatingsystem', 'operatingsystems'].map((word) => [word, 'osFamily'] as const),
  ...['device', 'devices', 'devicetype'].map((word) => [word, 'deviceClass'] as const),
  ...['refererhost', 'referrerdomain', 'refererdomain'].map((word) => [word, 'referrerHost'] as const),
  ...['landingpages', 'entrypage', 'entrypages'].map((word) => [word, 'landingPage'] as const),
  ['exitpages', 'exitPage'],
  ['trafficsources', 'trafficSource'],
  ['countries', 'country'],
  ...['campaign', 'campaigns'].map((word) => [word, 'utmCampaign'] as const),
  ['clicks', 'linkClicksCount'],
  ...['pageview', 'view', 'views'].map((word) => [word, 'pageViewsCount'] as const),
  ...['events', 'eventscount', 'eventcount'].map((word) => [word, 'TrackedEvents.count'] as const),
  ['bounces', 'Sessions.bouncedCount'],
  ...['', 'avg', 'average', 'mean'].flatMap((mean) =>
    ['sessionduration', 'sessionlength', 'visitduration'].map(
      (word) => [mean + word, 'Sessions.averageDurationMinutes'] as const,
    ),
  ),
  ...['sessions', 'sessionscount', 'sessioncount', 'visits'].map((word) => [word, 'Sessions.count'] as const),
]);

/** Whether a text is a synonym of a member. Columns of the event files may have the same name. */
export function isSynonym(text: string): boolean {
  return synonyms.has(joined(text));
}

/** Synonyms for a bucket of the cube's usual time. */
const bucketSynonyms: ReadonlyMap<string, Granularity> = new Map([['date', 'day']]);
