import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { type MemberCatalog, rowColumns } from '../query/member-catalog.ts';
import {
  asProperty,
  cubeOf,
  defaultCube as eventsCube,
  isWrittenName,
  readComputedName,
  shortNameOf,
  usualTimeMember,
} from '../query/member-name.ts';
import { columnProperty, isPropertyName, spellProperty } from '../query/property-name.ts';
import type { Filter } from '../query/query.ts';
import { readTimeSpan } from '../query/time-span.ts';
import { offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities, type GranularityName } from '../time/granularity.ts';
import { type NameFinder, openNames, readMade } from './find-names.ts';
import { isSynonym, openLooseNames } from './loose-names.ts';
import { nearestShort, ownGranularities } from './suggest-member.ts';
import { openRefusals } from './refuse-name.ts';
import type { NameNode } from './syntax.ts';
import { eventOfWords, termAhead } from './terms.ts';
import { writeValue } from './write-value.ts';
import { type MemberKind, type ResolvedName, type Wanted, wrongKind } from './wrong-kind.ts';

/** Resolves written names to full names. */
export interface NameScope extends Pick<NameFinder, 'cube' | 'enterCube' | 'define' | 'granularityOf'> {
  readonly issues: readonly Issue[];
  /** The default columns of raw rows. */
  readonly rowColumns: (filters: readonly Filter[]) => readonly string[];
  /**
   * `wanted` restricts the kind; undefined allows any member that can be compared or ordered by. `isPart`: other figures
   * stand beside it, so that a condition of the line would not be its own.
   */
  readonly resolve: (written: NameNode, wanted?: Wanted, isPart?: boolean) => ResolvedName | undefined;
  /** The kind of a name, without reporting issues; undefined if it is unknown or ambiguous. */
  readonly kindOf: (text: string, wanted?: Wanted) => MemberKind | undefined;
  /** How many of the leading words form one known name. */
  readonly reach: (words: readonly string[]) => number;
  /** The number of leading words that no name begins with, at least 1. Without a catalog: 1. */
  readonly strangers: (words: readonly string[]) => number;
  /** The condition on the event that one of the first words names (`isMeant`), or else on any event, as an example. */
  readonly conditionOf: (
    words: readonly string[],
  ) => { readonly condition: string; readonly isMeant: boolean } | undefined;
  /** The column whose name differs at most in its case, spaces, or by a plural. */
  readonly columnLike: (text: string) => string | undefined;
  /** A hint with the member nearest to an unknown word, if one is near. */
  readonly nearMember: (text: string) => string | undefined;
  /** Whether a dimension is text that is written as times, which have buckets. */
  readonly isTimeText: (name: string) => boolean;
  /** The sum of a property of numbers, as a line writes it. */
  readonly sumOf: (dimension: string) => string | undefined;
  /** All granularities of a time, the model's own first. */
  readonly granularitiesOf: (time: string) => readonly GranularityName[];
  /** The time dimension for a range or bucket without one. */
  readonly timeMember: (cube?: string) => string;
}

/** Resolves the names of a line: those that cannot be meant become issues, with a hint. See `NameFinder`. */
export function openScope(defaultCube: string, catalog: MemberCatalog | undefined): NameScope {
  const issues: Issue[] = [];
  const loose = catalog && openLooseNames(catalog);
  const names = openNames(defaultCube, catalog, loose);
  const { cube, findCohort, findColumn, granularityOf, lookUp } = names;

  const isTimeText: NameScope['isTimeText'] = (name) => {
    const found = catalog?.find(name);
    return found?.kind === 'dimension' && found.member.times !== undefined;
  };

  const { refuse, columnLike, numberColumns, ratioHint } = openRefusals({
    names,
    catalog,
    loose,
    isTimeText,
    resolve: (part, wanted) => resolve(part, wanted),
  });

  /** The issue of a name that may mean a column, which only the events show. */
  const doubt = (
    { text, span, quoted }: NameNode,
    found: ResolvedName,
    member: string,
    wanted: Wanted | undefined,
  ): Issue | undefined => {
    if (quoted && wanted !== 'measure' && isOwnMeasure(found, text))
      return errorIssue('unknown-member', `There is no column ${quote(text)}.`, {
        span,
        name: columnProperty(text),
        hint: `Quotes mean a column. Write \`${text}\` for the measure.`,
      });
    const word = readComputedName(member)?.dimension ?? member;
    const mayMeanColumn = isSynonym(word) || (cube() === eventsCube && wanted !== 'measure' && names.isApart(found));
    if (quoted || (found.kind !== 'dimension' && word === member) || !mayMeanColumn || !catalog?.mayHave?.(word))
      return undefined;
    const name = columnProperty(word);
    return errorIssue('unread-property', `The events were not searched for ${quote(word)}.`, { span, name });
  };

  const resolve: NameScope['resolve'] = (node, wanted, isPart = false) => {
    const { text, span, quoted } = node;
    const made = quoted ? undefined : readMade(text);
    const member = made?.of ?? text;
    const isName = !quoted && isWrittenName(catalog ? member.replaceAll(' ', '') : member);
    const [found, ...others] = isName || made ? lookUp(text, wanted) : names.findQuoted(text, wanted);
    const issue = found ? doubt(node, found, member, wanted) : refuse(node, { made, member, isName }, wanted, isPart);
    if (issue) issues.push(issue);
    if (issue || !found) return undefined;
    if (others.length > 0) issues.push(ambiguous(text, [found, ...others], span));
    const problem = wrongKind(found, wanted, text, sumOf(found.name) !== undefined);
    if (!problem) return found;
    const hint = (wanted === 'group' ? ratioHint(text) : undefined) ?? problem.hint;
    issues.push(errorIssue('wrong-kind', `${quote(text)} ${problem.is}.`, { span, hint }));
    return undefined;
  };

  /** Whether a short name that needs no quotes is that of a measure of the model, not of a formula of the line. */
  const isOwnMeasure = ({ name, kind }: ResolvedName, text: string) =>
    kind === 'measure' && /^\w+$/.test(text) && name === `${cube()}.${text}` && !names.isDefined(name);

  /** How many of the leading words form the name of one column; 0 if it is at most one. */
  const columnReach = (words: readonly string[]): number => {
    for (let count = Math.min(longestColumn, words.length); count > 1; count -= 1)
      if (findColumn(words.slice(0, count).join(' '), undefined).length > 0) return count;
    return 0;
  };

  const sumOf: NameScope['sumOf'] = (dimension) => {
    const column = numberColumns().find((each) => each === spellProperty(shortNameOf(dimension)));
    return column && `sum(${column})`;
  };

  const reach = (words: readonly string[]): number => {
    const [first] = words;
    if (!catalog || first === undefined) return 0;
    if (isPropertyName(asProperty(first)) || readTimeSpan(first) || findCohort(first).length > 0) return 1;
    const time = catalog.timeMemberOf(cube());
    const isBucket = time !== undefined && granularityOf(time, first) !== undefined;
    return Math.max(
      isBucket ? 1 : 0,
      termAhead(words),
      loose?.reach(words) ?? 0,
      columnReach(words),
      catalog.find(first) || catalog.find(`${cube()}.${first}`) || findColumn(first, undefined).length > 0 ? 1 : 0,
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
    isTimeText,
    sumOf,
    kindOf: (text, wanted) => {
      const [found, ...others] = lookUp(text, wanted);
      return others.length === 0 ? found?.kind : undefined;
    },
    conditionOf: (words) => {
      const events = catalog?.eventNames?.() ?? [];
      const meant = eventOfWords(words.slice(0, reachOfSpeech), events);
      const event = meant ?? events[0];
      return event && { condition: `${event.member} = ${writeValue(event.name)}`, isMeant: meant !== undefined };
    },
    columnLike,
    nearMember: (text) => {
      const near = catalog && nearestShort(text, catalog.names());
      return near === undefined ? undefined : offer(cubeOf(near) === cube() ? shortNameOf(near) : near);
    },
    granularityOf,
    granularitiesOf: (time) => [...(catalog ? ownGranularities(time, catalog) : []), ...granularities],
    cube,
    rowColumns: (filters) => rowColumns(cube(), catalog, filters),
    define: names.define,
    enterCube: names.enterCube,
    timeMember: (of = cube()) => catalog?.timeMemberOf(of) ?? usualTimeMember(of),
  };
}

function ambiguous(text: string, meant: readonly ResolvedName[], span: Span): Issue {
  const written = meant.map(({ name, granularity }) => `\`${granularity ?? name}\``);
  const ofCubes = meant.every(({ name }) => shortNameOf(name) === text);
  const message = ofCubes ? `${quote(text)} is a member of several cubes.` : `${quote(text)} can mean several things.`;
  return errorIssue('ambiguous-member', message, { span, hint: `Write ${written.join(' or ')}.` });
}

/** In `who did purchase`, the event is the second word. */
const reachOfSpeech = 2;

/** The most words in the name of a column without quotes. */
const longestColumn = 5;
