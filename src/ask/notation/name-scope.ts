import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { type MemberCatalog, rowColumns } from '../query/member-catalog.ts';
import {
  cubeOf,
  defaultCube as eventsCube,
  noCohortHint,
  readCohortMember,
  shortNameOf,
  usualTimeMember,
  asProperty,
  readComputedName,
  writeComputedName,
  writtenNamePattern,
} from '../query/member-name.ts';
import {
  columnProperty,
  isPropertyName,
  meantProperties,
  readPropertyMember,
  spellProperty,
  writePropertyMember,
} from '../query/property-name.ts';
import type { Filter } from '../query/query.ts';
import { notPerUser, readWrittenPerUser, writePerUserName } from '../query/per-user-name.ts';
import { noTouch, readWrittenTouch, writeTouchName } from '../query/touch-name.ts';
import { nearest, offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities, type GranularityName, isGranularity } from '../time/granularity.ts';
import { isSynonym, type Meaning, openLooseNames } from './loose-names.ts';
import { nearestShort, ownGranularities, suggestMember } from './suggest-member.ts';
import type { NameNode } from './syntax.ts';
import {
  hintOnAmount,
  hintOnBareFunction,
  hintOnEvent,
  hintOnFunction,
  hintOnRatio,
  hintOnTerm,
  termAhead,
} from './terms.ts';

type MemberKind = 'measure' | 'dimension' | 'time' | 'segment' | 'unknown';

/** A resolved name, by its full name. */
export interface ResolvedName {
  readonly name: string;
  /** `unknown` if there is no catalog. */
  readonly kind: MemberKind;
  /** Set if the name is a bucket of time, such as `utcTime.day`. */
  readonly granularity?: GranularityName | undefined;
}

type Wanted = 'measure' | 'group' | 'segment';

/** Resolves written names to full names. */
export interface NameScope {
  readonly issues: readonly Issue[];
  /** The cube in which short names are looked up first. */
  readonly cube: () => string;
  readonly enterCube: (cube: string) => void;
  /** Adds a measure that the line itself defines, by its full name. */
  readonly define: (name: string) => void;
  /** The default columns of raw rows. */
  readonly rowColumns: (filters: readonly Filter[]) => readonly string[];
  /** `wanted` restricts the kind; undefined allows any member that can be compared or ordered by. */
  readonly resolve: (written: NameNode, wanted?: Wanted) => ResolvedName | undefined;
  /** The kind of a name, without reporting issues; undefined if it is unknown or ambiguous. */
  readonly kindOf: (text: string, wanted?: Wanted) => MemberKind | undefined;
  /** How many of the leading words form one known name. */
  readonly reach: (words: readonly string[]) => number;
  /** The number of leading words that no name begins with, at least 1. Without a catalog: 1. */
  readonly strangers: (words: readonly string[]) => number;
  /** A hint with the member nearest to an unknown word, if one is near. */
  readonly nearMember: (text: string) => string | undefined;
  /** The granularity that a word names for a time: a standard one or the model's. */
  readonly granularityOf: (time: string, word: string) => GranularityName | undefined;
  /** All granularities of a time, the model's own first. */
  readonly granularitiesOf: (time: string) => readonly GranularityName[];
  /** The time dimension for a range or bucket without one. */
  readonly timeMember: (cube?: string) => string;
}

/**
 * Looks up short names in the cube of the first measure, then in any other cube, if only one has such a member. Names
 * without an exact match are matched loosely (see `openLooseNames`), unless that is ambiguous. Without a catalog, every
 * name exists.
 */
export function openScope(defaultCube: string, catalog: MemberCatalog | undefined): NameScope {
  const issues: Issue[] = [];
  const loose = catalog && openLooseNames(catalog);
  const defined = new Set<string>();
  let cube = defaultCube;

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
    const alike = (catalog?.names() ?? []).filter((name) => shortNameOf(name) === short);
    // Members that the line cannot have beside its cube are not meant, unless there are no others.
    const joinable = alike.length > 1 ? alike.filter((name) => catalog?.canJoin?.(cube, cubeOf(name))) : [];
    const elsewhere = (joinable.length > 0 ? joinable : alike).map((name) => toFound({ name }));
    const loosely = (loose?.findIn(cube, short, prefers(wanted)) ?? []).map(toFound);
    // `users` are those of the events, although a definition of paths has a measure of this name, too.
    const others = loosely.length > 0 ? elsewhere.filter(({ name }) => !catalog?.isDefined?.(cubeOf(name))) : elsewhere;
    const meant = [...others, ...loosely];
    return meant.length > 0 ? meant : (loose?.findAnywhere(short, prefers(wanted)) ?? []).map(toFound);
  };

  const findFull = (full: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const kind = find(full);
    return kind ? [{ name: full, kind }] : (loose?.findAnywhere(full, prefers(wanted)) ?? []).map(toFound);
  };

  const prefers = (wanted: Wanted | undefined) => (name: string) => {
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
    return found.length > 0 ? found : undefined;
  };

  /** Whether the line cannot have a member beside its cube. */
  const isApart = ({ name }: ResolvedName): boolean =>
    cubeOf(name) !== cube && catalog?.canJoin?.(cube, cubeOf(name)) === false;

  /** The column of this name, if the line cannot have any of the members that were found. */
  const withColumn = (found: readonly ResolvedName[], text: string, wanted: Wanted | undefined) => {
    if (found.length === 0 || wanted === 'measure' || wanted === 'segment' || !found.every(isApart)) return found;
    const columns = findColumn(text, wanted).filter(({ name }) => cubeOf(name) === cube);
    return columns.length > 0 ? columns : found;
  };

  /** Finds a column of the event files by its own name: the member that it fills, or else a property. */
  const findColumn = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
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

  /**
   * Finds a quoted name: a column by its own name, also if a measure is called so, or a member by its exact name. Never
   * a bucket.
   */
  const findQuoted = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const renamed = findRenamed(text, wanted);
    if (renamed) return renamed;
    const exact = catalog ? [text, `${cube}.${text}`].find((name) => find(name)) : undefined;
    const named = exact === undefined ? undefined : toFound({ name: exact });
    const isColumn = named === undefined || (wanted !== 'measure' && named.kind === 'measure');
    const column = isColumn ? findColumn(text, wanted) : [];
    return named === undefined || column.length > 0 ? column : [named];
  };

  /** Finds `cohort` and `cohorts.power-users`, unless the cube has a member with exactly this name. */
  const findCohort = (text: string): readonly ResolvedName[] => {
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

  /**
   * The granularity that a word names for a time, case-insensitively; the model's own come first. `15 minutes` is
   * `minutes15` in queries, because names of granularities begin with a letter.
   */
  const granularityOf = (time: string, word: string): GranularityName | undefined => {
    const lower = word.toLowerCase().replace(/^(\d+) (minute|hour)s?$/, '$2s$1');
    const own = catalog ? ownGranularities(time, catalog) : [];
    return (
      own.find((name) => name.toLowerCase() === lower) ??
      (isGranularity(lower) || /^(minute|hour)s\d+$/.test(lower) ? lower : undefined)
    );
  };

  const lookUp = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const made = findMade(text);
    if (made.length > 0) return made;
    if (isPropertyName(text)) return findProperty(text);
    const computed = findComputed(text);
    if (computed) return computed;
    const ofCohort = findCohort(text);
    if (ofCohort.length > 0) return ofCohort;
    if (!text.includes('.')) {
      const found =
        findRenamed(text, wanted) ?? findNamesake(text, wanted) ?? withColumn(findShort(text, wanted), text, wanted);
      const time = catalog?.timeMemberOf(cube);
      const granularity = found.length > 0 || time === undefined ? undefined : granularityOf(time, text);
      if (granularity !== undefined && time !== undefined) return [{ name: time, kind: 'time', granularity }];
      return found.length > 0 ? found : findColumn(text, wanted);
    }
    if (catalog) {
      const found = findFull(text, wanted);
      if (found.length > 0) return found;
    }
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
    const found = time.includes('.') ? findFull(time, wanted) : findShort(time, wanted);
    const buckets = found.flatMap(({ kind, name }): readonly ResolvedName[] => {
      const granularity = kind === 'time' ? granularityOf(name, last) : undefined;
      return granularity === undefined ? [] : [{ name, kind: 'time', granularity }];
    });
    return buckets.length === 0 && isColumnLike(text) ? findColumn(text, wanted) : buckets;
  };

  /** Whether text has the form of a column's name: words, or keys with dots that do not begin with a cube. */
  const isColumnLike = (text: string): boolean => {
    const [first] = text.split('.');
    return (
      /^\w+(?:[. ]\w+)*$/.test(text) &&
      (first === text || catalog?.names().every((name) => cubeOf(name) !== first) === true)
    );
  };

  const whyLeftOut = (text: string): string | undefined => {
    const property = readPropertyMember(asProperty(text));
    const meant = property ? meantProperties(property).map(writePropertyMember) : [text];
    return [text, ...meant.map((short) => `${cube}.${short}`)]
      .map((name) => catalog?.whyLeftOut?.(name))
      .find((reason) => reason !== undefined);
  };

  /** Says that the operand of a function is a measure: `sum(orders.revenue)`. */
  const hintOnMeasure = (text: string): string | undefined => {
    const { compute, path } = readPropertyMember(asProperty(text)) ?? {};
    const read = compute === undefined ? readComputedName(text) : undefined;
    const operand = read ? `${read.cube ?? cube}.${read.dimension}` : compute && path!.join('.');
    if (operand === undefined || !catalog) return undefined;
    const [found] = findFull(operand.includes('.') ? operand : `${cube}.${operand}`, 'measure');
    if (found?.kind !== 'measure') return undefined;
    const name = cubeOf(found.name) === cube ? shortNameOf(found.name) : found.name;
    return `${quote(name)} is a measure: write it without \`${read?.compute ?? compute}\`.`;
  };

  /** Says that a dimension is no number, or suggests the one with the nearest name. */
  const hintOnComputed = (text: string): string | undefined => {
    const read = readComputedName(text);
    if (!read || !catalog) return undefined;
    const { compute, dimension } = read;
    const meant = lookUp(read.cube === undefined ? dimension : `${read.cube}.${dimension}`, 'group');
    if (
      compute !== 'distinct' &&
      catalog.filledBy?.(dimension) === undefined &&
      meant.some(({ kind }) => kind === 'dimension' || kind === 'time')
    )
      return `\`${compute}\` needs numbers. Count the values of ${quote(dimension)} with \`distinct(${dimension})\`.`;
    const own = catalog
      .names()
      .filter((name) => cubeOf(name) === (read.cube ?? cube) && catalog.find(writeComputedName(compute, name)))
      .map(shortNameOf)
      // Other functions of properties are suggested with them.
      .filter((name) => compute === 'distinct' || !isPropertyName(name));
    const near = nearest(
      dimension,
      own.map((name) => name.replace(/^props\./, '')),
    );
    return near === undefined ? undefined : offer(`${text.slice(0, text.indexOf('('))}(${near})`);
  };

  const resolve: NameScope['resolve'] = ({ text, span, quoted }, wanted) => {
    const made = quoted ? undefined : readMade(text);
    const member = made?.of ?? text;
    const isName = !quoted && writtenNamePattern().test(catalog ? member.replaceAll(' ', '') : member);
    const [found, ...others] = isName || made ? lookUp(text, wanted) : findQuoted(text, wanted);
    const isOfList = !isName && !quoted && /^[^\s[\]]+\[\][^\s[\]]*$/.test(member);
    if (!found && !isName && !quoted && !isOfList) {
      issues.push(
        errorIssue('not-a-name', `${quote(member)} is not a valid member name.`, {
          span,
          name: made ? undefined : columnProperty(text),
          hint:
            (catalog && suggestMember(member, cube, catalog, wanted)) ??
            'Write members as `docPath` or `TrackedEvents.docPath`.',
        }),
      );
      return undefined;
    }
    if (!found && made) {
      const isUnknown = made.wanted === 'measure' && lookUp(made.of, made.wanted).length === 0;
      const ofEvent = isUnknown ? hintOnEvent(made.of, catalog?.eventNames?.() ?? [], true) : undefined;
      if (ofEvent) {
        const message = `${quote(made.of)} is not a measure.`;
        issues.push(errorIssue('unknown-member', message, { span, hint: ofEvent }));
        return undefined;
      }
      // If the member itself is wrong, resolving it reports why.
      if (resolve({ text: made.of, span }, made.wanted)) issues.push({ ...made.refuse(made.of), span });
      return undefined;
    }
    const reason = found ? undefined : whyLeftOut(text);
    if (reason !== undefined) {
      issues.push(errorIssue('left-out', `${quote(text)} is left out of the model. ${reason}`, { span }));
      return undefined;
    }
    if (!found) {
      const fits = wanted === 'group' ? prefers(wanted) : undefined;
      const near =
        hintOnTerm(text) ??
        (wanted === 'group' ? ratioHint(text) : undefined) ??
        hintOnEvent(text, catalog?.eventNames?.() ?? []) ??
        hintOnMeasure(text) ??
        hintOnComputed(text) ??
        hintOnFunction(text, suggestMember(asProperty(text.replaceAll(' ', '')), cube, catalog, wanted, fits));
      // Only the events show whether words are the name of a property.
      const mayBeProperty = quoted || isOfList || (isColumnLike(text) && (near === undefined || wanted !== 'measure'));
      const written = quoted ? '' : asProperty(text);
      const property = isPropertyName(written) ? written : mayBeProperty ? columnProperty(text) : undefined;
      const word = near === undefined ? loose?.near(text) : undefined;
      issues.push(
        errorIssue('unknown-member', `There is no member ${quote(text)}.`, {
          span,
          name: property,
          hint:
            hintOnBareFunction(text) ??
            near ??
            hintOnAmount(text) ??
            (word === undefined ? listHint(text, wanted) : offer(word)),
        }),
      );
      return undefined;
    }
    if (quoted && wanted !== 'measure' && isOwnMeasure(found, text)) {
      // Only the events show whether there is such a column.
      issues.push(
        errorIssue('unknown-member', `There is no column ${quote(text)}.`, {
          span,
          name: columnProperty(text),
          hint: `Quotes mean a column. Write \`${text}\` for the measure.`,
        }),
      );
      return undefined;
    }
    const word = readComputedName(member)?.dimension ?? member;
    const mayMeanColumn = isSynonym(word) || (cube === eventsCube && wanted !== 'measure' && isApart(found));
    if (!quoted && (found.kind === 'dimension' || word !== member) && mayMeanColumn && catalog?.mayHave?.(word)) {
      const name = columnProperty(word);
      issues.push(errorIssue('unread-property', `The events were not searched for ${quote(word)}.`, { span, name }));
      return undefined;
    }
    if (others.length > 0) issues.push(ambiguous(text, [found, ...others], span));
    const problem = wrongKind(found, wanted, text);
    if (!problem) return found;
    const hint = (wanted === 'group' ? ratioHint(text) : undefined) ?? problem.hint;
    issues.push(errorIssue('wrong-kind', `${quote(text)} ${problem.is}.`, { span, hint }));
    return undefined;
  };

  /** Whether a short name that needs no quotes is that of a measure of the model, not of a formula of the line. */
  const isOwnMeasure = ({ name, kind }: ResolvedName, text: string) =>
    kind === 'measure' && /^\w+$/.test(text) && name === `${cube}.${text}` && !defined.has(name);

  /** Other models have other members. */
  const ratioHint = (text: string) => (catalog?.find('Sessions.averagePerUser') ? hintOnRatio(text) : undefined);

  /** How many of the leading words form the name of one column; 0 if it is at most one. */
  const columnReach = (words: readonly string[]): number => {
    for (let count = Math.min(longestColumn, words.length); count > 1; count -= 1)
      if (findColumn(words.slice(0, count).join(' '), undefined).length > 0) return count;
    return 0;
  };

  const reach = (words: readonly string[]): number => {
    const [first] = words;
    if (!catalog || first === undefined) return 0;
    if (isPropertyName(asProperty(first)) || findCohort(first).length > 0) return 1;
    const time = catalog.timeMemberOf(cube);
    const isBucket = time !== undefined && granularityOf(time, first) !== undefined;
    return Math.max(
      isBucket ? 1 : 0,
      termAhead(words),
      loose?.reach(words) ?? 0,
      columnReach(words),
      catalog.find(first) || catalog.find(`${cube}.${first}`) || findColumn(first, undefined).length > 0 ? 1 : 0,
    );
  };

  return {
    issues,
    resolve,
    reach,
    strangers: (words) => {
      const known = catalog ? words.findIndex((_, index) => index > 0 && reach(words.slice(index)) > 0) : 1;
      return known === -1 ? words.length : known;
    },
    kindOf: (text, wanted) => {
      const [found, ...others] = lookUp(text, wanted);
      return others.length === 0 ? found?.kind : undefined;
    },
    nearMember: (text) => {
      const near = catalog && nearestShort(text, catalog.names());
      return near === undefined ? undefined : offer(cubeOf(near) === cube ? shortNameOf(near) : near);
    },
    granularityOf,
    granularitiesOf: (time) => [...(catalog ? ownGranularities(time, catalog) : []), ...granularities],
    cube: () => cube,
    rowColumns: (filters) => rowColumns(cube, catalog, filters),
    define: (name) => {
      defined.add(name);
    },
    enterCube: (entered) => {
      cube = entered;
    },
    timeMember: (of = cube) => catalog?.timeMemberOf(of) ?? usualTimeMember(of),
  };
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

function ambiguous(text: string, meant: readonly ResolvedName[], span: Span): Issue {
  const written = meant.map(({ name, granularity }) => `\`${granularity ?? name}\``);
  const ofCubes = meant.every(({ name }) => shortNameOf(name) === text);
  const message = ofCubes ? `${quote(text)} is a member of several cubes.` : `${quote(text)} can mean several things.`;
  return errorIssue('ambiguous-member', message, { span, hint: `Write ${written.join(' or ')}.` });
}

function listHint(text: string, wanted: Wanted | undefined): string {
  if (readCohortMember(text)) return noCohortHint;
  const units = `${granularities.slice(0, -1).join(', ')} or ${granularities.at(-1)}`;
  return `Run \`sluice model\` to list the members${wanted === 'group' ? `, or group by ${units}` : ''}.`;
}

/** `text`: how the name was written. */
function wrongKind({ name, kind, granularity }: ResolvedName, wanted: Wanted | undefined, text: string) {
  if (kind === 'unknown') return undefined;
  const place = {
    measure: 'Write measures first, or use `-m`.',
    segment: `Write \`segment ${text}\`, or \`--segment ${text}\`.`,
    dimension: `Write \`by ${text}\`, or \`-d ${text}\`.`,
    time: 'Write `by day`, or `-t utcTime:day`.',
  }[kind];
  const is = {
    measure: 'is a measure',
    segment: 'is a segment',
    dimension: 'is a dimension',
    time: 'is a time dimension',
  }[kind];
  if (wanted === 'measure' && kind !== 'measure')
    return { is: `${is}, not a measure`, hint: kind === 'dimension' ? (measureHint(name) ?? place) : place };
  if (wanted === 'segment' && kind !== 'segment')
    return { is: `${is}, not a segment`, hint: 'Write conditions as `where eventType = pageview`.' };
  if (wanted === 'group' && (kind === 'measure' || kind === 'segment'))
    return { is: `${is}, not a dimension`, hint: place };
  if (wanted === undefined && kind === 'segment')
    return { is: `${is}, which cannot be compared or ordered by`, hint: place };
  return granularity !== undefined && kind !== 'time' ? { is: 'has no granularity', hint: undefined } : undefined;
}

/** How to compute a figure of a property. */
function measureHint(name: string): string | undefined {
  const property = shortNameOf(name);
  if (!isPropertyName(property)) return undefined;
  const [sum, avg, distinct] = ['sum', 'avg', 'distinct'].map((compute) => spellProperty(`${compute}(${property})`));
  return `Write \`${sum}\`, \`${avg}\` or \`${distinct}\`, or group by it: \`by ${spellProperty(property)}\`.`;
}

/** The most words in the name of a column without quotes. */
const longestColumn = 5;
