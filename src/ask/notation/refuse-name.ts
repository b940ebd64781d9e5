import { errorIssue, type Issue, type Span } from '../outcome.ts';
import type { MemberCatalog } from '../query/member-catalog.ts';
import {
  asProperty,
  cubeOf,
  noCohortHint,
  readCohortMember,
  readComputedName,
  shortNameOf,
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
import { readTimeSpan, spanUnits, type TimeSpan } from '../query/time-span.ts';
import { nearest, offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities } from '../time/granularity.ts';
import { type NameFinder, type readMade, spanOf } from './find-names.ts';
import type { LooseNames } from './loose-names.ts';
import { spelledLike, suggestMember } from './suggest-member.ts';
import type { NameNode } from './syntax.ts';
import {
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
} from './terms.ts';
import type { ResolvedName, Wanted } from './wrong-kind.ts';

/**
 * A written name: its text without the words of an attribution or of a figure per user, and whether it is well formed.
 */
interface Written {
  readonly made: ReturnType<typeof readMade>;
  readonly member: string;
  readonly isName: boolean;
}

/** What the issues of names need of the scope in which they are looked up. */
interface Surroundings {
  readonly names: NameFinder;
  readonly catalog: MemberCatalog | undefined;
  readonly loose: LooseNames | undefined;
  /** Resolves a part of a name, and reports why it means nothing. */
  readonly resolve: (written: NameNode, wanted?: Wanted) => ResolvedName | undefined;
  readonly isTimeText: (name: string) => boolean;
}

/** Makes the issues of names that mean nothing, with a hint at what was probably meant. */
export function openRefusals({ names, catalog, loose, resolve, isTimeText }: Surroundings) {
  const { cube, isColumnLike, lookUp } = names;

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

  const columnLike = (text: string): string | undefined =>
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

  /** Other models have other members. */
  const ratioHint = (text: string) => (catalog?.find('Sessions.averagePerUser') ? hintOnRatio(text) : undefined);

  const touchHint = (text: string) => (catalog?.find('Sessions.averagePerUser') ? hintOnGroup(text) : undefined);

  /** The columns of numbers, as a line writes them. */
  const numberColumns = () =>
    (catalog?.names() ?? []).flatMap((name) => {
      const short = cubeOf(name) === cube() ? shortNameOf(name) : '';
      return readPropertyMember(short)?.compute === 'sum' ? [spellProperty(short).slice('sum('.length, -1)] : [];
    });

  return { refuse, ratioHint, columnLike, numberColumns };
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
