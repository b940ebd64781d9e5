import type { DefinedByParts } from '../../../ask/analysis-line/definition-parts.ts';
import { analysisOfLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { tokenize } from '../../../ask/notation/tokens.ts';
import { shorten } from '../../../ask/notation/write-notation.ts';
import { writeValue } from '../../../ask/notation/write-value.ts';
import { cubeOf, shortNameOf } from '../../../ask/query/member-name.ts';
import { writePerUserName } from '../../../ask/query/per-user-name.ts';
import { writeTouchName } from '../../../ask/query/touch-name.ts';
import { granularities } from '../../../ask/time/granularity.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import { inCohort, notInCohort } from '../../../plan/analysis/cohort/cohort-members.ts';
import type { Catalog, Found } from '../../../plan/model/catalog.ts';
import { memberLabel } from '../../../plan/model/member-label.ts';
import { reachableCubes } from '../../../plan/model/read/check-model.ts';
import { completeCall } from './complete-call.ts';
import { offerAnalyses, offerInAnalysis } from './complete-analysis.ts';
import {
  clauses,
  changes,
  earlierRanges,
  offerWindows,
  comparesNext,
  standardBuckets,
  bucketsOf,
  ranges,
  offerRanges,
  numbers,
  offerOperators,
} from './offered-words.ts';
import { findSlot, type Slot } from './find-slot.ts';
import {
  type Candidate,
  type Completion,
  type CompletionWorld,
  countMistakes,
  emptyLast,
  rankCandidates,
} from './rank-candidates.ts';

const usualMost = 100;

/**
 * Candidates at the cursor of a line of notation, likeliest first. Offers only what the parser accepts: a candidate
 * never adds a mistake to the line up to the cursor.
 */
export function complete(text: string, cursor: number, world: CompletionWorld): Completion {
  const call = completeCall(text, cursor, world);
  if (call) return { ...call, candidates: takeSound(call.candidates, text.slice(0, call.from), world) };
  const word = wordAt(text, cursor);
  const analysis = analysisOfLine(text.slice(0, word.from), world.catalog);
  if (analysis) return completeAnalysis(text, cursor, word, analysis, world);
  const found = completeFrom(text, cursor, word, world);
  const [earlier] = /[^\s(),'"=<>~]+\s+$/.exec(text.slice(0, word.from)) ?? [];
  // The name may have several words, and the first ones may mean nothing or something else alone: `page vi`.
  if (earlier === undefined || word.typed === '' || !hasMistakeIn(text.slice(0, word.from), earlier, world))
    return found;
  const from = word.from - earlier.length;
  const wider = completeFrom(text, cursor, { from, to: word.to, typed: text.slice(from, cursor) }, world);
  return wider.candidates.length > 0 ? wider : found;
}

interface Word {
  readonly from: number;
  readonly to: number;
  readonly typed: string;
}

/** Conditions of an analysis complete as those of a count of events. */
function completeAnalysis(
  text: string,
  cursor: number,
  word: Word,
  analysis: DefinedByParts,
  world: CompletionWorld,
): Completion {
  const before = text.slice(0, word.from);
  const [where] = /\bwhere\s[^]*$/i.exec(before) ?? [];
  const condition = where === undefined ? undefined : `count ${text.slice(before.length - where.length)}`;
  if (where !== undefined && condition !== undefined) {
    const shift = before.length - where.length - 'count '.length;
    const found = complete(condition, cursor - shift, world);
    const from = found.from + shift;
    return {
      ...found,
      from,
      to: found.to + shift,
      candidates: takeSound(found.candidates, text.slice(0, from), world),
    };
  }
  const { candidates, wantsValues } = offerInAnalysis(before, analysis, world);
  return {
    from: word.from,
    to: word.to,
    candidates: takeSound(rankCandidates(candidates.filter(isFirst), word.typed), before, world),
    ...(wantsValues !== undefined && { wantsValues }),
  };
}

function completeFrom(text: string, cursor: number, word: Word, world: CompletionWorld): Completion {
  const slot = findSlot(text.slice(0, word.from), world);
  const before = text.slice(0, slot.from);
  const typed = slot.from < word.from ? text.slice(slot.from, cursor) : word.typed;
  const { candidates, wantsValues } = offer(slot, typed, before, world);
  const ranked = rankCandidates(
    (before.trim() === '' ? [...offerSaved(world), ...candidates, ...offerAnalyses(world)] : candidates).filter(
      isFirst,
    ),
    typed,
  );
  return {
    from: slot.from,
    to: word.to,
    candidates: takeSound(ranked, before, world),
    ...(wantsValues !== undefined && { wantsValues }),
  };
}

function hasMistakeIn(before: string, last: string, world: CompletionWorld): boolean {
  return countMistakes(before, world) > countMistakes(before.slice(0, before.length - last.length), world);
}

/** The word at or before the cursor; empty between words. */
function wordAt(text: string, cursor: number): Word {
  const { tokens, issues } = tokenize(text.slice(0, cursor));
  const last = tokens.at(-2);
  const isOpen = issues.some(({ code, span }) => code === 'unclosed-quote' && span?.end === cursor);
  if (!last || last.span.end !== cursor || last.kind === 'sign' || (last.kind === 'text' && !isOpen))
    return { from: cursor, to: cursor, typed: '' };
  const whole = tokenize(text).tokens.find(({ span }) => span.start === last.span.start);
  // An open quote swallows the rest of the line; use only the text before the cursor.
  const to = last.kind === 'word' && whole?.kind === 'word' ? whole.span.end : cursor;
  return { from: last.span.start, to, typed: last.text };
}

interface Offer {
  readonly candidates: readonly Candidate[];
  readonly wantsValues?: string | undefined;
}

function offer(slot: Slot, typed: string, before: string, world: CompletionWorld): Offer {
  const { catalog } = world;
  switch (slot.kind) {
    case 'measure':
      return { candidates: offerMembers(world, ['measure'], slot) };
    case 'group':
      return {
        candidates: [
          ...offerBuckets(catalog, slot.cube, typed),
          ...offerMembers(world, ['dimension'], slot, isGroup),
          ...offerTouches(catalog, slot, typed),
          ...offerPerUser(catalog, slot, typed),
          ...bucketsOf(catalog, slot.cube),
        ],
      };
    case 'segment':
      return { candidates: offerMembers(world, ['segment'], slot) };
    case 'member':
      return {
        candidates: [...offerMembers(world, ['dimension', 'measure'], slot), ...offerTouches(catalog, slot, typed)],
      };
    case 'operator':
      return { candidates: offerOperators(typeOf(slot.member, world)) };
    case 'value':
      return offerValues(slot.member, world);
    case 'order':
      return {
        candidates: [
          ...slot.asked.flatMap((name) => offerMember(catalog, name, slot.cube) ?? []),
          ...bucketsOf(catalog, slot.cube),
          ...offerMembers(world, ['measure', 'dimension'], slot),
        ],
      };
    case 'range':
      return {
        candidates: [...(comparesNext(before) ? earlierRanges : []), ...offerRanges(typed), ...clauses],
      };
    case 'zone':
      return {
        candidates: [
          ...ranges,
          ...['UTC', ...(world.zones ?? []).filter((zone) => zone !== 'UTC')].map(
            (zone): Candidate => ({ text: zone, label: zone, title: '', description: '', kind: 'zone' }),
          ),
        ],
      };
    case 'number':
      return { candidates: [...offerWindows(before), ...numbers] };
    case 'clause':
      if (slot.inList) return { candidates: [listEnd, comma] };
      // Only these can follow within brackets.
      if (slot.open > 0)
        return { candidates: [...clauses.filter(({ text }) => text === 'and' || text === 'or'), bracket] };
      return {
        candidates: [
          ...offerWindows(before),
          ...clauses,
          ...ranges,
          ...standardBuckets,
          ...changes,
          ...offerMembers(world, ['dimension', 'measure'], slot),
        ],
      };
  }
}

const sign = (text: string, title: string): Candidate => ({
  text,
  label: text,
  title,
  description: '',
  kind: 'clause',
});
const bracket = sign(')', 'the end of the bracket');
const listEnd = sign(')', 'the end of the list');
const comma = sign(',', 'another value');

function isFirst(candidate: Candidate, index: number, all: readonly Candidate[]): boolean {
  return (
    all.findIndex(
      ({ text, kind }) => text === candidate.text && (kind === 'query') === (candidate.kind === 'query'),
    ) === index
  );
}

function typeOf(member: string | undefined, { catalog }: CompletionWorld): string | undefined {
  const found = member === undefined ? undefined : catalog.find(member);
  if (!found) return undefined;
  return found.kind === 'dimension' ? found.member.type : found.kind === 'measure' ? 'number' : undefined;
}

function offerValues(member: string | undefined, world: CompletionWorld): Offer {
  const type = typeOf(member, world);
  if (type === 'time') return { candidates: ranges };
  if (type === 'boolean') return toValues(['true', 'false']);
  const found = member === undefined ? undefined : world.catalog.find(member);
  if (member === undefined || found?.kind !== 'dimension') return { candidates: [] };
  const { cohort } = found.member;
  if (cohort) return toValues(cohort.name === undefined ? cohort.among : [inCohort, notInCohort]);
  const values = world.values?.get(member);
  return values ? toValues(values) : { candidates: [], wantsValues: member };
}

function toValues(values: readonly string[]): Offer {
  return {
    candidates: values.map(
      (value): Candidate => ({ text: writeValue(value), label: value, title: '', description: '', kind: 'value' }),
    ),
  };
}

/**
 * A line can consist of just the name of a saved query. An analysis is offered as a cube, because its question begins
 * with its name.
 */
function offerSaved({ savedQueries = [] }: CompletionWorld): readonly Candidate[] {
  return savedQueries.map(
    ({ name, title = '', description = '' }): Candidate => ({
      text: name,
      label: name,
      title,
      description,
      kind: 'query',
    }),
  );
}

/** The first candidates that the parser accepts, up to the limit. */
function takeSound(candidates: readonly Candidate[], before: string, world: CompletionWorld): readonly Candidate[] {
  const most = world.most ?? usualMost;
  const mistakes = countMistakes(before, world);
  const refused = new Map<string, number>();
  const sound: Candidate[] = [];
  for (const candidate of candidates) {
    if (sound.length >= most) break;
    // After a few refusals of a kind of member, assume that no member of that kind is accepted here.
    if ((refused.get(candidate.kind) ?? 0) >= mostRefused && memberKinds.has(candidate.kind)) continue;
    if (candidate.kind === 'query' || countMistakes(before + candidate.text, world) <= mistakes) sound.push(candidate);
    else refused.set(candidate.kind, (refused.get(candidate.kind) ?? 0) + 1);
  }
  return sound;
}

const memberKinds: ReadonlySet<string> = new Set(['measure', 'dimension', 'time', 'segment']);
const mostRefused = 3;

/** Members of these kinds, the line's own cube first, without cubes that the line cannot reach. */
function offerMembers(
  { catalog, empty }: Pick<CompletionWorld, 'catalog' | 'empty'>,
  kinds: readonly Found['kind'][],
  { cube, asked }: Pick<Slot, 'cube' | 'asked'>,
  fits: (found: Found) => boolean = () => true,
): readonly Candidate[] {
  const reached = asked.length === 0 ? undefined : reachableCubes(catalog.model).get(cube);
  const names = kinds
    .flatMap((kind) => catalog.names(kind))
    .filter((name) => reached?.has(name.split('.')[0] ?? '') ?? true);
  const own = emptyLast(
    names.filter((name) => name.startsWith(`${cube}.`)),
    empty?.members ?? new Set(),
  );
  return [...own, ...names.filter((name) => !name.startsWith(`${cube}.`))].flatMap((name) => {
    const found = catalog.find(name);
    return (found && fits(found) ? offerMember(catalog, name, cube) : undefined) ?? [];
  });
}

/** First-touch and last-touch dimensions, once the word begins with `first` or `last`. */
function offerTouches(catalog: Catalog, { cube }: Slot, typed: string): readonly Candidate[] {
  const [which] = /^(?:first|last)/i.exec(typed) ?? [];
  if (which === undefined) return [];
  const touch = which.toLowerCase() === 'first' ? 'firstTouch' : 'lastTouch';
  return catalog
    .names('dimension')
    .filter((name) => name.startsWith(`${cube}.`))
    .flatMap((name) => offerMember(catalog, writeTouchName(touch, name), cube) ?? []);
}

/** Figures of each user, once the word begins as a measure does. */
function offerPerUser(catalog: Catalog, { cube }: Slot, typed: string): readonly Candidate[] {
  const begins = (name: string) => shortNameOf(name).toLowerCase().startsWith(typed.toLowerCase());
  return catalog
    .names('measure')
    .filter((name) => typed !== '' && cubeOf(name) === cube && begins(name))
    .flatMap((name) => {
      const offered = offerMember(catalog, writePerUserName(name), cube);
      const text = `${shortNameOf(name)} per user`;
      return offered ? { ...offered, text, label: text } : [];
    });
}

/** Excludes the dimension that only compares with names of cohorts. */
function isGroup({ kind, member }: Found): boolean {
  return kind !== 'dimension' || !member.cohort || member.cohort.name !== undefined;
}

/** Returns undefined if the member does not exist. */
function offerMember(catalog: Catalog, name: string, cube: string): Candidate | undefined {
  const found = catalog.find(name);
  if (!found) return undefined;
  const text = shorten(name, cube);
  const { title, description = '' } = found.member;
  const label = nameOf(found);
  if (found.kind === 'measure' && found.cube.source.kind === 'computed')
    return {
      text,
      label: text,
      title: `${found.cube.title}: ${label}`,
      description: found.cube.description ?? description,
      kind: found.cube.source.analysis.name as AnalysisName,
    };
  const kind = found.kind === 'dimension' && found.member.type === 'time' ? 'time' : found.kind;
  return {
    text,
    label: text.replaceAll('"', ''),
    title: name.startsWith(`${cube}.`) ? label : title,
    description,
    kind,
  };
}

function nameOf({ kind, member }: Found): string {
  return (kind === 'segment' ? undefined : memberLabel(member)) ?? member.shortTitle;
}

/** Time dimensions with a granularity, such as `utcTime.day`. */
function offerBuckets(catalog: Catalog, cube: string, typed: string): readonly Candidate[] {
  const dot = typed.lastIndexOf('.');
  const written = typed.slice(0, Math.max(0, dot));
  const found = catalog.find(written) ?? catalog.find(`${cube}.${written}`);
  if (found?.kind !== 'dimension' || found.member.type !== 'time') return [];
  const own = (found.member.granularities ?? []).map(({ name }) => name);
  return [...own, ...granularities].map((granularity) => ({
    text: `${written}.${granularity}`,
    label: `${written}.${granularity}`,
    title: `${nameOf(found)} by ${granularity}`,
    description: '',
    kind: 'granularity',
  }));
}
