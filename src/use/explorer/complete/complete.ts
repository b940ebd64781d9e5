import { writeValue } from '../../../ask/query/notation/write-condition.ts';
import { tokenize } from '../../../ask/query/notation/tokenize.ts';
import type { Candidate, Completion, CompletionWorld } from './completion.ts';
import { findSlot, type Slot } from './find-slot.ts';
import { offerBuckets, offerMember, offerMembers } from './offer-members.ts';
import { buckets, clauses, numbers, offerOperators, offerRanges, ranges } from './offer-words.ts';
import { rankCandidates } from './rank-candidates.ts';
import { countMistakes } from './soundness.ts';

const usualMost = 50;

/**
 * What can stand at the cursor of a line of notation, the likeliest first. Only what the parser takes there is offered:
 * the line up to the cursor never has more mistakes with a candidate than without.
 */
export function complete(text: string, cursor: number, world: CompletionWorld): Completion {
  const word = wordAt(text, cursor);
  const found = completeFrom(text, cursor, word, world);
  const [earlier] = /[^\s(),'"=<>~]+\s+$/.exec(text.slice(0, word.from)) ?? [];
  // A name of several words, of which the first ones mean nothing, or something else, by themselves: `page vi`.
  if (earlier === undefined || word.typed === '' || !hasMistakeIn(text.slice(0, word.from), earlier, world)) return found;
  const from = word.from - earlier.length;
  const wider = completeFrom(text, cursor, { from, to: word.to, typed: text.slice(from, cursor) }, world);
  return wider.candidates.length > 0 ? wider : found;
}

interface Word {
  readonly from: number;
  readonly to: number;
  readonly typed: string;
}

function completeFrom(text: string, cursor: number, word: Word, world: CompletionWorld): Completion {
  const slot = findSlot(text.slice(0, word.from), world);
  const before = text.slice(0, slot.from);
  const typed = slot.from < word.from ? text.slice(slot.from, cursor) : word.typed;
  const { candidates, wantsValues } = offer(slot, typed, world);
  const ranked = rankCandidates([...(before.trim() === '' ? offerSaved(world) : []), ...candidates].filter(isFirst), typed);
  return { from: slot.from, to: word.to, candidates: takeSound(ranked, before, world), ...(wantsValues !== undefined && { wantsValues }) };
}

function hasMistakeIn(before: string, last: string, world: CompletionWorld): boolean {
  return countMistakes(before, world) > countMistakes(before.slice(0, before.length - last.length), world);
}

/** The word that the cursor is in or behind; empty between words. */
function wordAt(text: string, cursor: number): Word {
  const { tokens, issues } = tokenize(text.slice(0, cursor));
  const last = tokens.at(-2);
  const isOpen = issues.some(({ code, span }) => code === 'unclosed-quote' && span?.end === cursor);
  if (!last || last.span.end !== cursor || last.kind === 'sign' || (last.kind === 'text' && !isOpen)) return { from: cursor, to: cursor, typed: '' };
  const whole = tokenize(text).tokens.find(({ span }) => span.start === last.span.start);
  // An open quote swallows the rest of the line; only what is before the cursor is meant.
  const to = last.kind === 'word' && whole?.kind === 'word' ? whole.span.end : cursor;
  return { from: last.span.start, to, typed: last.text };
}

interface Offer {
  readonly candidates: readonly Candidate[];
  readonly wantsValues?: string | undefined;
}

function offer(slot: Slot, typed: string, world: CompletionWorld): Offer {
  const { catalog } = world;
  switch (slot.kind) {
    case 'measure': return { candidates: offerMembers(catalog, ['measure'], slot) };
    case 'group': return { candidates: [...offerBuckets(catalog, slot.cube, typed), ...offerMembers(catalog, ['dimension'], slot), ...buckets] };
    case 'segment': return { candidates: offerMembers(catalog, ['segment'], slot) };
    case 'member': return { candidates: offerMembers(catalog, ['dimension', 'measure'], slot) };
    case 'operator': return { candidates: offerOperators(typeOf(slot.member, world)) };
    case 'value': return offerValues(slot.member, world);
    case 'order': return { candidates: [...slot.asked.flatMap((name) => offerMember(catalog, name, slot.cube) ?? []), ...buckets, ...offerMembers(catalog, ['measure', 'dimension'], slot)] };
    case 'range': return { candidates: [...offerRanges(typed), ...clauses] };
    case 'zone': return { candidates: [...ranges, ...['UTC', ...(world.zones ?? []).filter((zone) => zone !== 'UTC')].map((zone): Candidate => ({ text: zone, label: zone, title: '', description: '', kind: 'zone' }))] };
    case 'number': return { candidates: numbers };
    case 'clause':
      if (slot.inList) return { candidates: [listEnd, comma] };
      // Nothing else goes on within brackets.
      if (slot.open > 0) return { candidates: [...clauses.filter(({ text }) => text === 'and' || text === 'or'), bracket] };
      return { candidates: [...clauses, ...ranges, ...buckets, ...offerMembers(catalog, ['dimension', 'measure'], slot)] };
  }
}

const sign = (text: string, title: string): Candidate => ({ text, label: text, title, description: '', kind: 'clause' });
const bracket = sign(')', 'the end of the bracket');
const listEnd = sign(')', 'the end of the list');
const comma = sign(',', 'another value');

function isFirst(candidate: Candidate, index: number, all: readonly Candidate[]): boolean {
  return all.findIndex(({ text, kind }) => text === candidate.text && (kind === 'query') === (candidate.kind === 'query')) === index;
}

function typeOf(member: string | undefined, { catalog }: CompletionWorld): string | undefined {
  const found = member === undefined ? undefined : catalog.find(member);
  if (!found) return undefined;
  return found.kind === 'dimension' ? found.member.type : found.kind === 'measure' ? 'number' : undefined;
}

function offerValues(member: string | undefined, world: CompletionWorld): Offer {
  const type = typeOf(member, world);
  if (type === 'time') return { candidates: ranges };
  if (type === 'boolean') return { candidates: ['true', 'false'].map((text): Candidate => ({ text, label: text, title: '', description: '', kind: 'value' })) };
  if (member === undefined || world.catalog.find(member)?.kind !== 'dimension') return { candidates: [] };
  const values = world.values?.get(member);
  if (!values) return { candidates: [], wantsValues: member };
  return { candidates: values.map((value): Candidate => ({ text: writeValue(value), label: value, title: '', description: '', kind: 'value' })) };
}

/** A line may be nothing but the name of a saved query; a funnel is a cube, whose question begins with its name. */
function offerSaved({ savedQueries = [] }: CompletionWorld): readonly Candidate[] {
  return savedQueries.map(({ name, title = '', description = '' }): Candidate => ({ text: name, label: name, title, description, kind: 'query' }));
}

/** Those that the parser takes, from the best on, until there are enough. */
function takeSound(candidates: readonly Candidate[], before: string, world: CompletionWorld): readonly Candidate[] {
  const most = world.most ?? usualMost;
  const mistakes = countMistakes(before, world);
  const refused = new Map<string, number>();
  const sound: Candidate[] = [];
  for (const candidate of candidates) {
    if (sound.length >= most) break;
    // Where members of a kind cannot stand, one of them tells for all.
    if ((refused.get(candidate.kind) ?? 0) >= mostRefused && memberKinds.has(candidate.kind)) continue;
    if (candidate.kind === 'query' || countMistakes(before + candidate.text, world) <= mistakes) sound.push(candidate);
    else refused.set(candidate.kind, (refused.get(candidate.kind) ?? 0) + 1);
  }
  return sound;
}

const memberKinds: ReadonlySet<string> = new Set(['measure', 'dimension', 'time', 'segment']);
const mostRefused = 3;
