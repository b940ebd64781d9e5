import { listOf } from '../document/read-value.ts';
import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { type MemberCatalog, rowColumns } from '../query/member-catalog.ts';
import {
  cubeOf,
  noCohortHint,
  readCohortMember,
  shortNameOf,
  usualTimeMember,
  writtenNamePattern,
} from '../query/member-name.ts';
import {
  hasPropertyName,
  isPropertyName,
  readPropertyMember,
  spellProperty,
  writePropertyMember,
  writePropertyName,
} from '../query/property-name.ts';
import { readWrittenTouch, writeTouchName } from '../query/touch-name.ts';
import { nearest, offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities, type Granularity, type GranularityName, isGranularity } from '../time/granularity.ts';
import type { NameNode } from './syntax.ts';
import { hintOnEvent, hintOnFunction, hintOnTerm, termAhead } from './terms.ts';

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
  readonly rowColumns: () => readonly string[];
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
    const elsewhere = (catalog?.names() ?? [])
      .filter((name) => shortNameOf(name) === short)
      .map((name) => toFound({ name }));
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

  /** Finds a property exactly: keys of events are case-sensitive. */
  const findProperty = (text: string): readonly ResolvedName[] => {
    const bare = readPropertyMember(text);
    const owner = bare ? cube : cubeOf(text);
    const short = writePropertyMember(bare ?? readPropertyMember(shortNameOf(text))!);
    const names = [
      `${owner}.${short}`,
      ...(bare ? (catalog?.names() ?? []).filter((name) => shortNameOf(name) === short) : []),
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

  /** Finds a column of the event files by its own name: the member that it fills, or else a property. */
  const findColumn = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const filled = catalog?.filledBy?.(text);
    const found = filled === undefined ? [] : findShort(filled, wanted);
    const property = found.length > 0 ? undefined : columnProperty(text);
    return property === undefined ? found : findProperty(property);
  };

  /** Finds a quoted name: a column by its own name, or a member by its exact name. Never a bucket. */
  const findQuoted = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const renamed = findRenamed(text, wanted);
    if (renamed) return renamed;
    const exact = catalog ? [text, `${cube}.${text}`].find((name) => find(name)) : undefined;
    return exact === undefined ? findColumn(text, wanted) : [toFound({ name: exact })];
  };

  /** Finds `cohort` and `cohorts.power-users`, unless the cube has a member with exactly this name. */
  const findCohort = (text: string): readonly ResolvedName[] => {
    const written = readCohortMember(text);
    if (!written || find(text.includes('.') ? text : `${cube}.${text}`) === 'time') return [];
    const full = `${written.cube ?? cube}.${written.member}`;
    const kind = catalog || written.member.includes('.') ? find(full) : undefined;
    return kind ? [{ name: full, kind }] : [];
  };

  /** Finds `first touch campaign source`, unless the cube has a member with exactly this name. */
  const findTouch = (text: string): readonly ResolvedName[] => {
    const written = readWrittenTouch(text);
    if (!written || (loose?.findIn(cube, text, () => true) ?? []).length > 0) return [];
    return lookUp(written.of, 'group').flatMap(({ name, granularity }): readonly ResolvedName[] => {
      const full = writeTouchName(written.touch, name);
      const kind = granularity === undefined && name.includes('.') ? find(full) : undefined;
      return kind ? [{ name: full, kind }] : [];
    });
  };

  /** The granularity that a word names for a time, case-insensitively; the model's own come first. */
  const granularityOf = (time: string, word: string): GranularityName | undefined => {
    const lower = word.toLowerCase();
    const own = catalog ? ownGranularities(time, catalog) : [];
    return own.find((name) => name.toLowerCase() === lower) ?? (isGranularity(lower) ? lower : undefined);
  };

  const lookUp = (text: string, wanted: Wanted | undefined): readonly ResolvedName[] => {
    const attributed = findTouch(text);
    if (attributed.length > 0) return attributed;
    if (isPropertyName(text)) return findProperty(text);
    const ofCohort = findCohort(text);
    if (ofCohort.length > 0) return ofCohort;
    if (!text.includes('.')) {
      const found = findRenamed(text, wanted) ?? findShort(text, wanted);
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
    return found.flatMap(({ kind, name }): readonly ResolvedName[] => {
      const granularity = kind === 'time' ? granularityOf(name, last) : undefined;
      return granularity === undefined ? [] : [{ name, kind: 'time', granularity }];
    });
  };

  const whyLeftOut = (text: string) => catalog?.whyLeftOut?.(text) ?? catalog?.whyLeftOut?.(`${cube}.${text}`);

  const resolve: NameScope['resolve'] = ({ text, span, quoted }, wanted) => {
    const touch = quoted ? undefined : readWrittenTouch(text);
    const dimension = touch?.of ?? text;
    const isName = !quoted && writtenNamePattern().test(catalog ? dimension.replaceAll(' ', '') : dimension);
    const [found, ...others] = isName || touch ? lookUp(text, wanted) : findQuoted(text, wanted);
    if (!found && !isName && !quoted) {
      issues.push(
        errorIssue('not-a-name', `${quote(dimension)} is not a valid member name.`, {
          span,
          name: touch ? undefined : columnProperty(text),
          hint: 'Write members as `docPath` or `TrackedEvents.docPath`.',
        }),
      );
      return undefined;
    }
    if (!found && touch) {
      // If the dimension itself is wrong, resolving it reports why.
      if (resolve({ text: touch.of, span }, 'group'))
        issues.push(
          errorIssue('no-touch', `${quote(touch.of)} has no first or last touch.`, {
            span,
            hint: 'Use a dimension of TrackedEvents or Sessions, except times and cohorts.',
          }),
        );
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
        hintOnEvent(text, catalog?.eventNames?.() ?? []) ??
        hintOnFunction(text, suggest(text.replaceAll(' ', ''), cube, catalog, wanted, fits));
      // Only the events show whether words are the name of a property.
      const mayBeProperty = quoted || (/^\w+(?: \w+)*$/.test(text) && (near === undefined || wanted !== 'measure'));
      const property = !quoted && isPropertyName(text) ? text : mayBeProperty ? columnProperty(text) : undefined;
      const word = near === undefined ? loose?.near(text) : undefined;
      issues.push(
        errorIssue('unknown-member', `There is no member ${quote(text)}.`, {
          span,
          name: property,
          hint: near ?? (word === undefined ? listHint(text, wanted) : offer(word)),
        }),
      );
      return undefined;
    }
    if (others.length > 0) issues.push(ambiguous(text, [found, ...others], span));
    const problem = wrongKind(found, wanted, text);
    if (!problem) return found;
    issues.push(errorIssue('wrong-kind', `${quote(text)} ${problem.is}.`, { span, hint: problem.hint }));
    return undefined;
  };

  /** How many of the leading words form the name of one column; 0 if it is at most one. */
  const columnReach = (words: readonly string[]): number => {
    for (let count = Math.min(longestColumn, words.length); count > 1; count -= 1)
      if (findColumn(words.slice(0, count).join(' '), undefined).length > 0) return count;
    return 0;
  };

  const reach = (words: readonly string[]): number => {
    const [first] = words;
    if (!catalog || first === undefined) return 0;
    if (isPropertyName(first) || findCohort(first).length > 0) return 1;
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
      const near = catalog && findNear(text, catalog.names());
      return near === undefined ? undefined : offer(cubeOf(near) === cube ? shortNameOf(near) : near);
    },
    granularityOf,
    granularitiesOf: (time) => [...(catalog ? ownGranularities(time, catalog) : []), ...granularities],
    cube: () => cube,
    rowColumns: () => rowColumns(cube, catalog),
    define: (name) => {
      defined.add(name);
    },
    enterCube: (entered) => {
      cube = entered;
    },
    timeMember: (of = cube) => catalog?.timeMemberOf(of) ?? usualTimeMember(of),
  };
}

/** The property for a column by its own name; undefined if it cannot have one. */
function columnProperty(text: string): string | undefined {
  if (isPropertyName(`props.${text}`)) return `props.${text}`;
  return hasPropertyName([text]) ? writePropertyName([text]) : undefined;
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

/** The granularities of a time that the model adds to the standard ones. */
function ownGranularities(time: string, catalog: MemberCatalog): readonly string[] {
  const found = catalog.find(time);
  return found?.kind === 'dimension' ? (found.member.granularities ?? []).map(({ name }) => name) : [];
}

/** Suggests a member; `fits` excludes members that are not allowed in this place. */
function suggest(
  text: string,
  cube: string,
  catalog: MemberCatalog | undefined,
  wanted: Wanted | undefined,
  fits: (name: string) => boolean = () => true,
): string | undefined {
  if (!catalog) return 'Write members as `docPath` or `TrackedEvents.docPath`.';
  const same = catalog.otherName?.(text.includes('.') ? text : `${cube}.${text}`);
  if (same !== undefined) return offer(text.includes('.') || cubeOf(same) !== cube ? same : shortNameOf(same));
  const names = catalog.names().filter(fits);
  if (isPropertyName(text)) return suggestProperty(text, cube, names);
  const ofCohort = readCohortMember(text);
  if (ofCohort?.member.includes('.')) {
    const near = nearest(`${ofCohort.cube ?? cube}.${ofCohort.member}`, names);
    if (near !== undefined) return offer(ofCohort.cube === undefined ? shortNameOf(near) : near);
  }
  const prefix = text.includes('.') ? `${cubeOf(text)}.` : '';
  const own = names.filter((name) => cubeOf(name) === (prefix === '' ? cube : cubeOf(text))).map(shortNameOf);
  const column = prefix === '' ? own.find((name) => joined(columnOf(name) ?? '') === joined(text)) : undefined;
  if (column !== undefined) return offerColumn(column, wanted, own);
  const time = prefix === '' ? catalog.timeMemberOf(cube) : undefined;
  const near = nearest(text.slice(prefix.length), [
    ...own,
    ...(time === undefined ? [] : [...granularities, ...ownGranularities(time, catalog)]),
  ]);
  if (near !== undefined) return offer(prefix + near);
  const bucket = nearestBucket(text, cube, catalog);
  if (bucket !== undefined) return offer(bucket);
  if (prefix !== '' && own.length > 0) return offerOwn(text, prefix, own, names);
  const other = prefix === '' ? findNear(text, names) : nearest(text, names);
  if (other !== undefined) return offer(other);
  const nearColumn =
    prefix === ''
      ? nearest(
          text,
          own.flatMap((name) => columnOf(name) ?? []),
        )
      : undefined;
  if (nearColumn !== undefined) return offerColumn(own.find((name) => columnOf(name) === nearColumn)!, wanted, own);
  const alike =
    text.length < 3
      ? []
      : names.filter((name) => shortNameOf(name).toLowerCase().includes(shortNameOf(text).toLowerCase()));
  return alike.length > 0 ? `Did you mean ${listOf(alike.slice(0, 5))}?` : undefined;
}

/** Suggests members of the named cube before members of the same name elsewhere. */
function offerOwn(text: string, prefix: string, own: readonly string[], names: readonly string[]): string {
  const word = text.slice(prefix.length).toLowerCase();
  const alike = word.length < 3 ? [] : own.filter((name) => name.toLowerCase().includes(word));
  if (alike.length > 0) return `Did you mean ${listOf(alike.slice(0, 5).map((name) => prefix + name))}?`;
  const elsewhere = names.filter((name) => shortNameOf(name).toLowerCase() === word).slice(0, 3);
  const others = elsewhere.length === 0 ? '' : ` Other cubes have ${listOf(elsewhere)}.`;
  const few = own.filter((name) => !isPropertyName(name)).slice(0, 8);
  return `${quote(prefix.slice(0, -1))} has ${listOf(few.length > 0 ? few : own.slice(0, 5))}${few.length < own.length ? ' and others' : ''}: \`sluice model ${prefix.slice(0, -1)}\` lists them.${others}`;
}

/** The own name of the column that a property is; undefined for other members and for nested properties. */
function columnOf(short: string): string | undefined {
  const { compute, path: [key, ...others] = [] } = readPropertyMember(short) ?? {};
  return compute === undefined && others.length === 0 ? key : undefined;
}

/** Offers a property, or a figure of it if a measure is wanted. `own`: the short names of the cube. */
function offerColumn(short: string, wanted?: Wanted, own: readonly string[] = []): string {
  const figure = ['sum', 'distinct'].map((compute) => `${compute}(${short})`).find((name) => own.includes(name));
  const meant = (wanted === 'measure' ? figure : undefined) ?? short;
  const spelled = spellProperty(meant);
  return spelled === meant ? offer(meant) : `Did you mean \`${spelled}\`?`;
}

/** Suggests the nearest property, or else the first properties of the cube. */
function suggestProperty(text: string, cube: string, names: readonly string[]): string {
  const short = readPropertyMember(text) ? text : shortNameOf(text);
  const compute = readPropertyMember(short)?.compute;
  const owner = short === text ? cube : cubeOf(text);
  const own = names
    .filter((name) => cubeOf(name) === owner)
    .map(shortNameOf)
    .filter((name) => isPropertyName(name) && readPropertyMember(name)?.compute === compute);
  const keyOf = (name: string) => readPropertyMember(name)!.path.join('.');
  const key = keyOf(short);
  const meant = own.find((name) => joined(keyOf(name)) === joined(key));
  const near = meant === undefined ? nearest(key, own.map(keyOf)) : keyOf(meant);
  if (near !== undefined) return offerColumn(own.find((name) => keyOf(name) === near)!);
  if (own.length === 0) return 'Load events that have properties: `sluice ingest` lists those it keeps.';
  return `No event has it. Run \`sluice model props\` to list the properties, such as ${listOf(own.slice(0, 5))}.`;
}

function findNear(short: string, names: readonly string[]): string | undefined {
  const near = nearest(short, names.map(shortNameOf));
  return names.find((name) => shortNameOf(name) === near);
}

/** Corrects a misspelled bucket: `utcTime.dy` → `utcTime.day`. */
function nearestBucket(text: string, cube: string, catalog: MemberCatalog): string | undefined {
  const dot = text.lastIndexOf('.');
  const time = text.slice(0, Math.max(dot, 0));
  const found = catalog.find(time.includes('.') ? time : `${cube}.${time}`);
  if (found?.kind !== 'dimension' || found.member.type !== 'time') return undefined;
  const own = (found.member.granularities ?? []).map(({ name }) => name);
  const near = nearest(text.slice(dot + 1), [...own, ...granularities]);
  return near && `${time}.${near}`;
}

/** A possible meaning of a name; `granularity` is set if it is a bucket of time. */
interface Meaning {
  readonly name: string;
  readonly granularity?: Granularity | undefined;
}

/** Loosely matched names: `page views`, `DocPath`, `browser`. Ambiguous words have several meanings. */
interface LooseNames {
  /** Meanings of the text in this cube. `prefers` tells whether a member is of the preferred kind. */
  readonly findIn: (cube: string, text: string, prefers: (name: string) => boolean) => readonly Meaning[];
  /** Meanings of the text in any cube. */
  readonly findAnywhere: (text: string, prefers: (name: string) => boolean) => readonly Meaning[];
  /** How many of the leading words form one name in any cube; 0 if the first one is unknown. */
  readonly reach: (words: readonly string[]) => number;
  /** The nearest name to a misspelled one. */
  readonly near: (text: string) => string | undefined;
}

/** The most words in the name of a column without quotes. */
const longestColumn = 5;

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
function openLooseNames(catalog: MemberCatalog): LooseNames {
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

/**
 * Synonyms for members of the built-in cubes: words without spaces, in lower case. A short name belongs to the current
 * cube. A synonym counts only if its member exists and no other member has that name.
 */
const synonyms: ReadonlyMap<string, string> = new Map([
  ...['page', 'pages', 'path', 'paths', 'urlpath', 'urlpaths'].map((word) => [word, 'docPath'] as const),
  ...['browser', 'browsers'].map((word) => [word, 'agentName'] as const),
  ...['host', 'hosts'].map((word) => [word, 'docHost'] as const),
  ...['referrer', 'referrers', 'referers'].map((word) => [word, 'referer'] as const),
  ...['title', 'titles'].map((word) => [word, 'pageTitle'] as const),
  ...['users', 'visitors'].map((word) => [word, 'uniqueUsersCount'] as const),
  ...['weekdays', 'dayofweek'].map((word) => [word, 'weekday'] as const),
  ['os', 'osFamily'],
  ['clicks', 'linkClicksCount'],
  ...['pageview', 'view', 'views'].map((word) => [word, 'pageViewsCount'] as const),
  ...['events', 'eventscount', 'eventcount'].map((word) => [word, 'TrackedEvents.count'] as const),
  ['bounces', 'Sessions.bouncedCount'],
  ...['sessions', 'sessionscount', 'sessioncount', 'visits'].map((word) => [word, 'Sessions.count'] as const),
]);

/** Synonyms for a bucket of the cube's usual time. */
const bucketSynonyms: ReadonlyMap<string, Granularity> = new Map([['date', 'day']]);
