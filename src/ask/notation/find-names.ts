import type { MemberCatalog } from '../query/member-catalog.ts';
import {
  asProperty,
  cubeOf,
  readCohortMember,
  readComputedName,
  shortNameOf,
  usualTimeMember,
  writeComputedName,
} from '../query/member-name.ts';
import { notPerUser, readWrittenPerUser, writePerUserName } from '../query/per-user-name.ts';
import {
  columnProperty,
  isPropertyName,
  meantProperties,
  readPropertyMember,
  writePropertyMember,
} from '../query/property-name.ts';
import { readTimeSpan, type TimeSpan, writeTimeSpan } from '../query/time-span.ts';
import { noTouch, readWrittenTouch, writeTouchName } from '../query/touch-name.ts';
import { type GranularityName, isGranularity } from '../time/granularity.ts';
import { isSynonym, type LooseNames, type Meaning } from './loose-names.ts';
import { ownGranularities } from './suggest-member.ts';
import { type MemberKind, type ResolvedName, type Wanted, wrongKind } from './wrong-kind.ts';

/** Finds what written names mean, without reporting issues. */
export interface NameFinder {
  /** The cube in which short names are looked up first. */
  readonly cube: () => string;
  readonly enterCube: (cube: string) => void;
  /** Adds a measure that the line itself defines, by its full name. */
  readonly define: (name: string) => void;
  readonly isDefined: (name: string) => boolean;
  /** All that a name without quotes can mean. */
  readonly lookUp: (text: string, wanted: Wanted | undefined) => readonly ResolvedName[];
  /** Finds a full name, or one that matches it loosely. */
  readonly findFull: (full: string, wanted: Wanted | undefined) => readonly ResolvedName[];
  /** Finds a column of the event files by its own name: the member that it fills, or else a property. */
  readonly findColumn: (text: string, wanted: Wanted | undefined) => readonly ResolvedName[];
  /** Whether the line cannot have a member beside its cube. */
  readonly isApart: (found: ResolvedName) => boolean;
  /**
   * Finds a quoted name: a column by its own name, also if a measure is called so, or a member by its exact name. Never
   * a bucket.
   */
  readonly findQuoted: (text: string, wanted: Wanted | undefined) => readonly ResolvedName[];
  /** The names of both times. A quoted column that is mapped, which is written as a property, is what it fills. */
  readonly endsOfSpan: (span: TimeSpan) => readonly string[];
  /** Finds `cohort` and `cohorts.power-users`, unless the cube has a member with exactly this name. */
  readonly findCohort: (text: string) => readonly ResolvedName[];
  /** Tells of members whether they are of the wanted kind. */
  readonly prefers: (wanted: Wanted | undefined) => (name: string) => boolean;
  /**
   * The granularity that a word names for a time, case-insensitively; the model's own come first. `15 minutes` is
   * `minutes15` in queries, because names of granularities begin with a letter.
   */
  readonly granularityOf: (time: string, word: string) => GranularityName | undefined;
  /** Whether text has the form of a column's name: words, or keys with dots that do not begin with a cube. */
  readonly isColumnLike: (text: string) => boolean;
}

/**
 * Looks up short names in the cube of the first measure, then in any other cube, if only one has such a member. Names
 * without an exact match are matched loosely (see `openLooseNames`), unless that is ambiguous. Without a catalog, every
 * name exists.
 */
export function openNames(
  defaultCube: string,
  catalog: MemberCatalog | undefined,
  loose: LooseNames | undefined,
): NameFinder {
  const defined = new Set<string>();
  let cube = defaultCube;

  /** The kind of a member by its exact full name. */
  const find = (full: string): MemberKind | undefined => {
    if (defined.has(full)) return 'measure';
    if (!catalog) return full === usualTimeMember(cubeOf(full)) ? 'time' : 'unknown';
    const found = catalog.find(full);
    return found?.kind === 'dimension' && found.member.type === 'time' ? 'time' : found?.kind;
  };

  const toFound = ({ name, granularity }: Meaning): ResolvedName => ({
    name,
    kind: find(name) ?? 'unknown',
    ...(granularity && { granularity }),
  });

  const findShort = (short: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const own = `${cube}.${short}`;
    const kind = find(own);
    if (kind) return [{ name: own, kind }];
    // `sessions per user` does not mean the user of a cohort, beside which it cannot be asked.
    const isLikely = (found: ResolvedName) =>
      wanted !== 'group' || !isApart(found) || catalog?.isDefined?.(cubeOf(found.name)) !== true;
    const alike = (catalog?.names() ?? []).filter((name) => shortNameOf(name) === short);
    // Members that the line cannot have beside its cube are not meant, unless there are no others.
    const joinable = alike.length > 1 ? alike.filter((name) => catalog?.canJoin?.(cube, cubeOf(name))) : [];
    const elsewhere = (joinable.length > 0 ? joinable : alike).map((name) => toFound({ name })).filter(isLikely);
    const loosely = (loose?.findIn(cube, short, prefers(wanted)) ?? []).map(toFound);
    // `users` are those of the events, although a definition of paths has a measure of this name, too.
    const others = loosely.length > 0 ? elsewhere.filter(({ name }) => !catalog?.isDefined?.(cubeOf(name))) : elsewhere;
    const meant = [...others, ...loosely];
    if (meant.length > 0) return meant;
    return (loose?.findAnywhere(short, prefers(wanted)) ?? []).map(toFound).filter(isLikely);
  };

  const findFull: NameFinder['findFull'] = (full, wanted) => {
    const kind = find(full);
    return kind ? [{ name: full, kind }] : (loose?.findAnywhere(full, prefers(wanted)) ?? []).map(toFound);
  };

  const prefers: NameFinder['prefers'] = (wanted) => (name) => {
    const kind = find(name);
    return kind !== undefined && !wrongKind({ name, kind }, wanted, name);
  };

  /**
   * Finds a property exactly: keys of events are case-sensitive. If no event has it, dots may be part of a key, or
   * separate keys, or one of them may lead from a list to its values. A mapped column means the dimension that it
   * fills, and `Sessions.landingPage` that of another cube.
   */
  const findProperty = (text: string): readonly ResolvedName[] => {
    const bare = readPropertyMember(text);
    const owner = bare ? cube : cubeOf(text);
    const member = bare ?? readPropertyMember(shortNameOf(text))!;
    for (const meant of meantProperties(member)) {
      const found = findSpelled(writePropertyMember(meant), owner, bare !== undefined);
      if (found.length > 0) return found;
    }
    if (member.compute === undefined || member.times || !catalog) return [];
    const column = member.path.join('.');
    const filled = catalog.filledBy?.(column);
    const computed = writeComputedName(member.compute, filled === undefined ? column : `${owner}.${filled}`);
    return find(computed) === 'measure' ? [{ name: computed, kind: 'measure' }] : [];
  };

  const findSpelled = (short: string, owner: string, anywhere: boolean): readonly ResolvedName[] => {
    const names = [
      `${owner}.${short}`,
      ...(anywhere ? (catalog?.names() ?? []).filter((name) => shortNameOf(name) === short) : []),
    ];
    const meant = [...new Set(names)].flatMap((name): readonly ResolvedName[] => {
      const kind = find(name);
      return kind ? [{ name, kind }] : [];
    });
    return meant[0]?.name === names[0] ? meant.slice(0, 1) : meant;
  };

  /** The dimension that a column fills, even if its own name is another dimension's: `event` has the event type. */
  const findRenamed = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] | undefined => {
    const filled = catalog?.filledBy?.(text);
    if (filled === undefined || wanted === 'measure' || wanted === 'segment') return undefined;
    const name = `${cube}.${filled}`;
    if (find(name) !== 'dimension') return undefined;
    // A condition or an order may mean a measure.
    const others = wanted === 'group' ? [] : findShort(text, wanted);
    return others.every(({ kind }) => kind === 'dimension') ? [{ name, kind: 'dimension' }] : undefined;
  };

  /** Finds a column of the event files whose name is also a synonym of a dimension: `path`. */
  const findNamesake = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] | undefined => {
    if (!isSynonym(text) || !findShort(text, wanted).every(({ kind }) => kind === 'dimension')) return undefined;
    const found = findColumn(text, wanted);
    return found.length > 0 && !found.every(isObject) ? found : undefined;
  };

  /** Whether the values of a column are objects: `by os` means no whole `os: {name, version}`. */
  const isObject = ({ name }: ResolvedName): boolean => {
    const member = catalog?.find(name);
    return member?.kind === 'dimension' && member.member.inside !== undefined;
  };

  const isApart: NameFinder['isApart'] = ({ name }) =>
    cubeOf(name) !== cube && catalog?.canJoin?.(cube, cubeOf(name)) === false;

  /** The column of this name, if the line cannot have any of the members that were found. */
  const withColumn = (found: readonly ResolvedName[], text: string, wanted: Wanted | undefined) => {
    if (found.length === 0 || wanted === 'measure' || wanted === 'segment' || !found.every(isApart)) return found;
    const columns = findColumn(text, wanted).filter(({ name }) => cubeOf(name) === cube);
    return columns.length > 0 ? columns : found;
  };

  const findColumn: NameFinder['findColumn'] = (text, wanted) => {
    const filled = catalog?.filledBy?.(text);
    const found = filled === undefined ? [] : findShort(filled, wanted);
    const property = found.length > 0 ? undefined : columnProperty(text);
    return property === undefined ? found : findProperty(property);
  };

  /** Finds `distinct(docPath)`: a figure of a dimension's values, or else of those of a property. */
  const findComputed = (text: string): readonly ResolvedName[] | undefined => {
    const read = readComputedName(text);
    if (!read) return undefined;
    const dimensions = catalog ? lookUp(read.cube ? `${read.cube}.${read.dimension}` : read.dimension, 'group') : [];
    const found = dimensions.flatMap(({ name, granularity }): readonly ResolvedName[] => {
      const computed = writeComputedName(read.compute, name);
      return granularity === undefined && find(computed) === 'measure' ? [{ name: computed, kind: 'measure' }] : [];
    });
    return found.length > 0 ? found : findProperty(asProperty(text));
  };

  const findQuoted: NameFinder['findQuoted'] = (text, wanted) => {
    const renamed = findRenamed(text, wanted);
    if (renamed) return renamed;
    const exact = catalog ? [text, `${cube}.${text}`].find((name) => find(name)) : undefined;
    const named = exact === undefined ? undefined : toFound({ name: exact });
    const isColumn = named === undefined || (wanted !== 'measure' && named.kind === 'measure');
    const column = isColumn ? findColumn(text, wanted) : [];
    return named === undefined || column.length > 0 ? column : [named];
  };

  const findCohort: NameFinder['findCohort'] = (text) => {
    const written = readCohortMember(text);
    if (!written || find(text.includes('.') ? text : `${cube}.${text}`) === 'time') return [];
    const full = `${written.cube ?? cube}.${written.member}`;
    const kind = catalog || written.member.includes('.') ? find(full) : undefined;
    return kind ? [{ name: full, kind }] : [];
  };

  /** Finds `first touch campaign source` and `page views per user`, unless the cube has a member with this name. */
  const findMade = (text: string): readonly ResolvedName[] => {
    const made = readMade(text);
    if (!made || (loose?.findIn(cube, text, () => true) ?? []).length > 0) return [];
    return lookUp(made.of, made.wanted).flatMap(({ name, granularity }): readonly ResolvedName[] => {
      const full = made.write(name);
      const kind = granularity === undefined && name.includes('.') ? find(full) : undefined;
      return kind ? [{ name: full, kind }] : [];
    });
  };

  /** Finds the time between two times of one cube. */
  const endsOfSpan: NameFinder['endsOfSpan'] = (span) =>
    [span.from, span.to].map((end) => {
      const { path = [] } = readPropertyMember(end) ?? {};
      const meant = (path.length === 1 && catalog?.filledBy?.(path[0]!)) || end;
      return span.cube ? `${span.cube}.${meant}` : meant;
    });

  const findSpan = (text: string): readonly ResolvedName[] | undefined => {
    const span = readTimeSpan(text);
    if (!span) return undefined;
    const [from, to] = endsOfSpan(span).map((end) => lookUp(end, 'group'));
    return from!.flatMap((one) =>
      to!.flatMap((other): readonly ResolvedName[] => {
        const full = spanOf(span, one, other);
        const kind = find(full);
        return kind ? [{ name: full, kind }] : [];
      }),
    );
  };

  const granularityOf: NameFinder['granularityOf'] = (time, word) => {
    const lower = word.toLowerCase().replace(/^(\d+) (minute|hour)s?$/, '$2s$1');
    const own = catalog ? ownGranularities(time, catalog) : [];
    return (
      own.find((name) => name.toLowerCase() === lower) ??
      (isGranularity(lower) || /^(minute|hour)s\d+$/.test(lower) ? lower : undefined)
    );
  };

  const lookUp: NameFinder['lookUp'] = (text, wanted) => {
    const made = findMade(text);
    if (made.length > 0) return made;
    const span = findSpan(text);
    if (span) return span;
    if (isPropertyName(text)) return findProperty(text);
    const computed = findComputed(text);
    if (computed) return computed;
    const ofCohort = findCohort(text);
    if (ofCohort.length > 0) return ofCohort;
    return text.includes('.') ? findDotted(text, wanted) : findWord(text, wanted);
  };

  /** Finds a member by its short name, a bucket of the cube's time, or a column. */
  const findWord = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const found =
      findRenamed(text, wanted) ?? findNamesake(text, wanted) ?? withColumn(findShort(text, wanted), text, wanted);
    if (found.length > 0) return found;
    const time = catalog?.timeMemberOf(cube);
    const granularity = time === undefined ? undefined : granularityOf(time, text);
    if (time === undefined || granularity === undefined) return findColumn(text, wanted);
    return [{ name: time, kind: 'time', granularity }];
  };

  /** Finds a member by its full name, a bucket of a time, or a column: `Sessions.count`, `startAt.day`, `shop.city`. */
  const findDotted = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const parts = text.split('.');
    const last = parts.at(-1) ?? '';
    const time = parts.slice(0, -1).join('.');
    if (!catalog) {
      const granularity = isGranularity(last.toLowerCase()) ? last.toLowerCase() : last;
      if (parts.length === 3) return [{ name: time, kind: 'time', granularity }];
      return isGranularity(granularity)
        ? [{ name: `${cube}.${time}`, kind: 'time', granularity }]
        : findFull(text, wanted);
    }
    const members = findFull(text, wanted);
    if (members.length > 0) return members;
    const times = time.includes('.') ? findFull(time, wanted) : findShort(time, wanted);
    const buckets = times.flatMap(({ kind, name }): readonly ResolvedName[] => {
      const granularity = kind === 'time' ? granularityOf(name, last) : undefined;
      return granularity === undefined ? [] : [{ name, kind: 'time', granularity }];
    });
    return buckets.length === 0 && isColumnLike(text) ? findColumn(text, wanted) : buckets;
  };

  const isColumnLike: NameFinder['isColumnLike'] = (text) => {
    const [first] = text.split('.');
    return (
      /^\w+(?:[. ]\w+)*$/.test(text) &&
      (first === text || catalog?.names().every((name) => cubeOf(name) !== first) === true)
    );
  };

  return {
    cube: () => cube,
    enterCube: (entered) => {
      cube = entered;
    },
    define: (name) => {
      defined.add(name);
    },
    isDefined: (name) => defined.has(name),
    lookUp,
    findFull,
    findColumn,
    isApart,
    findQuoted,
    endsOfSpan,
    findCohort,
    prefers,
    granularityOf,
    isColumnLike,
  };
}

/** The full name of the time between two times. */
export function spanOf(span: TimeSpan, from: ResolvedName, to: ResolvedName): string {
  return writeTimeSpan({ ...span, cube: cubeOf(from.name), from: shortNameOf(from.name), to: shortNameOf(to.name) });
}

/** A dimension that is made from another member: its attribution, or the figure of each user. */
export function readMade(text: string) {
  const touch = readWrittenTouch(text);
  if (touch)
    return {
      of: touch.of,
      wanted: 'group' as const,
      write: (name: string) => writeTouchName(touch.touch, name),
      refuse: noTouch,
    };
  const of = readWrittenPerUser(text);
  return of === undefined ? undefined : { of, wanted: 'measure' as const, write: writePerUserName, refuse: notPerUser };
}
