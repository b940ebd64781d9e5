import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { type MemberCatalog, rowColumns } from '../query/member-catalog.ts';
import {
  asProperty,
  cubeOf,
  defaultCube as eventsCube,
  isWrittenName,
  noCohortHint,
  readCohortMember,
  readComputedName,
  shortNameOf,
  usualTimeMember,
  writeComputedName,
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
import { readTimeSpan, spanUnits, type TimeSpan } from '../query/time-span.ts';
import { nearest, offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities, type GranularityName } from '../time/granularity.ts';
import { type NameFinder, openNames, readMade, spanOf } from './find-names.ts';
import { isSynonym, openLooseNames } from './loose-names.ts';
import { nearestShort, ownGranularities, spelledLike, suggestMember } from './suggest-member.ts';
import type { NameNode } from './syntax.ts';
import {
  eventOfWords,
  functionInWords,
  hintOnAmount,
  hintOnBareFunction,
  hintOnDuration,
  hintOnEvent,
  hintOnEventWord,
  hintOnFunction,
  hintOnGroup,
  hintOnRatio,
  hintOnTerm,
  termAhead,
} from './terms.ts';
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

/**
 * A written name: its text without the words of an attribution or of a figure per user, and whether it is well formed.
 */
interface Written {
  readonly made: ReturnType<typeof readMade>;
  readonly member: string;
  readonly isName: boolean;
}

/** Resolves the names of a line: those that cannot be meant become issues, with a hint. See `NameFinder`. */
export function openScope(defaultCube: string, catalog: MemberCatalog | undefined): NameScope {
  const issues: Issue[] = [];
  const loose = catalog && openLooseNames(catalog);
  const names = openNames(defaultCube, catalog, loose);
  const { cube, findCohort, findColumn, granularityOf, isColumnLike, lookUp } = names;

  const whyLeftOut = (text: string): string | undefined => {
    const property = readPropertyMember(asProperty(text));
    const meant = property ? meantProperties(property).map(writePropertyMember) : [text];
    return [text, ...meant.map((short) => `${cube()}.${short}`)]
      .map((name) => catalog?.whyLeftOut?.(name))
      .find((reason) => reason !== undefined);
  };

  /** Says that the operand of a function is a measure: `sum(orders.revenue)`. */
  const hintOnMeasure = (text: string): string | undefined => {
    const { compute, path } = readPropertyMember(asProperty(text)) ?? {};
    const read = compute === undefined ? readComputedName(text) : undefined;
    const operand = read ? `${read.cube ?? cube()}.${read.dimension}` : compute && path!.join('.');
    if (operand === undefined || !catalog) return undefined;
    const [found] = names.findFull(operand.includes('.') ? operand : `${cube()}.${operand}`, 'measure');
    if (found?.kind !== 'measure') return undefined;
    const name = cubeOf(found.name) === cube() ? shortNameOf(found.name) : found.name;
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
      .filter((name) => cubeOf(name) === (read.cube ?? cube()) && catalog.find(writeComputedName(compute, name)))
      .map(shortNameOf)
      // Other functions of properties are suggested with them.
      .filter((name) => compute === 'distinct' || !isPropertyName(name));
    const near = nearest(
      dimension,
      own.map((name) => name.replace(/^props\./, '')),
    );
    return near === undefined ? undefined : offer(`${text.slice(0, text.indexOf('('))}(${near})`);
  };

  const columnLike: NameScope['columnLike'] = (text) =>
    spelledLike(text, (catalog?.names() ?? []).filter((name) => cubeOf(name) === cube()).map(shortNameOf)) ??
    [text, text.slice(0, -1)].find((column) => catalog?.filledBy?.(column));

  /** The hint about an unknown name that applies first; see `terms.ts`. */
  const hintOnUnknown = (text: string, wanted: Wanted | undefined, isPart: boolean): string | undefined =>
    hintOnTerm(text, catalog?.eventNames?.()) ??
    (wanted === 'group' ? (ratioHint(text) ?? touchHint(text)) : undefined) ??
    hintOnEvent(text, catalog?.eventNames?.() ?? [], isPart ? 'part' : 'whole') ??
    (wanted === 'measure'
      ? hintOnEventWord(text, catalog?.eventNames?.() ?? [], isPart ? 'part' : 'whole')
      : undefined) ??
    hintOnMeasure(text) ??
    hintOnComputed(text) ??
    hintOnFunction(
      text,
      suggestMember(
        asProperty(text.replaceAll(' ', '')),
        cube(),
        catalog,
        wanted,
        wanted === 'group' ? names.prefers(wanted) : undefined,
      ),
      columnLike,
    );

  /** The issue of a name that means nothing; undefined if resolving a part of it reported the reason. */
  const refuse = (
    { text, span, quoted }: NameNode,
    { made, member, isName }: Written,
    wanted: Wanted | undefined,
    isPart: boolean,
  ): Issue | undefined => {
    const isOfList = !isName && !quoted && /^[^\s[\]]+\[\][^\s[\]]*$/.test(member);
    if (!isName && !quoted && !isOfList)
      return errorIssue('not-a-name', `${quote(member)} is not a valid member name.`, {
        span,
        name: made ? undefined : columnProperty(text),
        hint:
          hintOnTerm(text) ??
          (catalog && suggestMember(member, cube(), catalog, wanted)) ??
          'Write members as `docPath` or `TrackedEvents.docPath`.',
      });
    if (made) {
      const isUnknown = made.wanted === 'measure' && lookUp(made.of, made.wanted).length === 0;
      const hint = isUnknown ? hintOnEvent(made.of, catalog?.eventNames?.() ?? [], 'per-user') : undefined;
      if (hint) return errorIssue('unknown-member', `${quote(made.of)} is not a measure.`, { span, hint });
      return resolve({ text: made.of, span }, made.wanted) && { ...made.refuse(made.of), span };
    }
    const between = quoted ? undefined : readTimeSpan(text);
    if (between) return refuseSpan(between, span);
    const reason = whyLeftOut(text);
    if (reason !== undefined)
      return errorIssue('left-out', `${quote(text)} is left out of the model. ${reason}`, { span });
    const near = hintOnUnknown(text, wanted, isPart);
    const amountHint = () => hintOnAmount(text, wanted === 'measure' ? numberColumns() : []);
    // A slip in the name of a measure needs no look at the events.
    const isSlip = wanted === 'measure' && nearest(text, (catalog?.names() ?? []).map(shortNameOf), 1) !== undefined;
    // Only the events show whether words are the name of a property.
    const mayBeProperty = quoted || isOfList || (isColumnLike(text) && !isSlip);
    const written = quoted ? '' : asProperty(text);
    const word = near === undefined ? loose?.near(text) : undefined;
    return errorIssue('unknown-member', `There is no member ${quote(text)}.`, {
      span,
      name: isPropertyName(written) ? written : mayBeProperty ? columnProperty(text) : propertyInWords(text),
      hint:
        hintOnBareFunction(text) ??
        (functionInWords(text) ? amountHint() : undefined) ??
        (wanted === 'measure' ? hintOnDuration(text, numberColumns()) : undefined) ??
        near ??
        amountHint() ??
        (word === undefined ? listHint(text, wanted) : offer(word)),
    });
  };

  /** The issue of two names of which one is no time; undefined if resolving them reported the reason. */
  const refuseSpan = (written: TimeSpan, span: Span): Issue | undefined => {
    const [, unit] = /%20in%20(\w+)$/.exec(written.from) ?? [];
    if (unit !== undefined)
      return errorIssue('unknown-value', `There is no unit ${quote(unit)} of the time between two times.`, {
        span,
        hint: `Use ${Object.keys(spanUnits).slice(1, -1).join(', ')} or weeks.`,
      });
    const [from, to] = names.endsOfSpan(written).map((text) => resolve({ text, span }, 'group'));
    if (!from || !to) return undefined;
    const isTime = ({ kind, name }: ResolvedName) => kind === 'time' || isTimeText(name);
    const other = [to, from].find((end) => !isTime(end));
    const { compute } = written;
    const spell = ({ name }: ResolvedName) => spellProperty(shortNameOf(name)).replace(/^props\./, '');
    if (!other)
      return errorIssue('no-time-span', `There is no time between ${quote(spell(from))} and ${quote(spell(to))}.`, {
        span,
        name: spanOf(written, from, to),
        hint: 'Use two times of events, of sessions or of users, and none of the values of lists.',
      });
    return errorIssue('wrong-kind', `${quote(spell(other).replaceAll('"', ''))} is not a time.`, {
      span,
      name: spanOf(written, from, to),
      hint:
        `Inside \`${compute}(…)\`, \`-\` takes two times. ` +
        `For numbers, write \`${compute}(${spell(to)}) - ${compute}(${spell(from)})\`.`,
    });
  };

  const isTimeText: NameScope['isTimeText'] = (name) => {
    const found = catalog?.find(name);
    return found?.kind === 'dimension' && found.member.times !== undefined;
  };

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

  /** Other models have other members. */
  const ratioHint = (text: string) => (catalog?.find('Sessions.averagePerUser') ? hintOnRatio(text) : undefined);

  const touchHint = (text: string) => (catalog?.find('Sessions.averagePerUser') ? hintOnGroup(text) : undefined);

  /** The columns of numbers, as a line writes them. */
  const numberColumns = () =>
    (catalog?.names() ?? []).flatMap((name) => {
      const short = cubeOf(name) === cube() ? shortNameOf(name) : '';
      return readPropertyMember(short)?.compute === 'sum' ? [spellProperty(short).slice('sum('.length, -1)] : [];
    });

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

/** The property of a figure in words: `average price`. */
function propertyInWords(text: string): string | undefined {
  const property = functionInWords(text)?.property;
  return property === undefined ? undefined : columnProperty(property);
}

function listHint(text: string, wanted: Wanted | undefined): string {
  if (readCohortMember(text)) return noCohortHint;
  if (wanted === 'measure') return '`count` is the number of events. Run `sluice model` to list the measures.';
  const units = `${granularities.slice(0, -1).join(', ')} or ${granularities.at(-1)}`;
  return `Run \`sluice model\` to list the members${wanted === 'group' ? `, or group by ${units}` : ''}.`;
}

/** In `who did purchase`, the event is the second word. */
const reachOfSpeech = 2;

/** The most words in the name of a column without quotes. */
const longestColumn = 5;
