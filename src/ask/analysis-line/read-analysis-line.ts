import { type Locate, type SourceText, toSpan } from '../document/located.ts';
import { trendUnits } from '../funnel/funnel.ts';
import { openScope } from '../notation/name-scope.ts';
import { takeBrackets } from '../notation/parse-name.ts';
import { parseComparison, resolveRanges } from '../notation/parse-comparison.ts';
import { parseCondition } from '../notation/parse-condition.ts';
import { readNotation } from '../notation/read-notation.ts';
import { parseRange, startsRange, wordsBeforeRange } from '../notation/parse-range.ts';
import type { RangeNode } from '../notation/syntax.ts';
import { describeToken, readTokens, type Token, tokenize, type TokenReader } from '../notation/tokens.ts';
import { toGranularity } from '../notation/words.ts';
import type { Issue, Span } from '../outcome.ts';
import type { MemberCatalog } from '../query/member-catalog.ts';
import { defaultCube, shortNameOf } from '../query/member-name.ts';
import { touchWords } from '../query/touch-name.ts';
import type { DateRangeText } from '../query/query.ts';
import { didYouMean, nearest, oneOfHint } from '../suggest.ts';
import { quote } from '../text.ts';
import {
  type DefinedByParts,
  type DefinitionPart,
  definitionParts,
  draftDefinition,
  isRepeatable,
} from './definition-parts.ts';

/** An analysis in one line, parsed. */
export interface AnalysisLine extends SourceText {
  readonly analysis: DefinedByParts;
  /** The saved definition that the line names; undefined if the line itself defines one. */
  readonly named: string | undefined;
  /** The definition, as a file has it below the key of the analysis. `where` is a list of conditions. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly range: DateRangeText | undefined;
  /** The ranges to compare, in place of `range`. */
  readonly compare: readonly DateRangeText[] | undefined;
  readonly timezone: string | undefined;
  /** Syntax errors of the line. The definition itself is not checked here. */
  readonly issues: readonly Issue[];
  /** Finds the spans of the definition's parts, and of `range` and `timezone`. */
  readonly locate: Locate;
}

/**
 * The analysis that a line begins with. Undefined if the line is another kind of question, or if a member has the same
 * name.
 */
export function analysisOfLine(line: string, members: MemberCatalog): DefinedByParts | undefined {
  const [, first = '', second = ''] = /^\s*(\w+)(?:\s+(\w+))?(?=\s|$)/.exec(line.toLowerCase()) ?? [];
  const word = Object.hasOwn(definitionParts, first) || !periodIn(first, second) ? first : second;
  if (!Object.hasOwn(definitionParts, word)) return undefined;
  return members.names().some((name) => shortNameOf(name).toLowerCase() === word)
    ? undefined
    : (word as DefinedByParts);
}

/** The period that a word before the name of an analysis gives: `weekly retention`. */
function periodIn(adjective: string, analysis: string): string | undefined {
  const period = /ly$/i.test(adjective) ? toGranularity(adjective) : undefined;
  const parts = Object.hasOwn(definitionParts, analysis) ? definitionParts[analysis as DefinedByParts] : [];
  return period && parts.some(({ name, choices }) => name === 'by' && choices?.includes(period)) ? period : undefined;
}

/**
 * Reads an analysis in one line: its name, then its parts in any order, a range, `where` and a time zone.
 *
 * ```
 * funnel / then /pricing then signup within 7 days last 30 days
 * retention of signup returning order by week first_ever last 8 weeks
 * lifecycle of pageview by week where docHost = www.example.com last 12 weeks
 * stickiness by day last 4 weeks
 * paths from /pricing excluding /login last 7 days
 * retention weekly-return last 8 weeks compare with previous
 * weekly retention of signup over the last 8 weeks
 * funnel / -> /pricing -> signup
 * ```
 *
 * Each part is a flag of the command without its dashes. Quote events that have a condition:
 * `"pageview where docPath ^= /docs"`. Never throws.
 */
export function readAnalysisLine(source: string, analysis: DefinedByParts): AnalysisLine {
  const { tokens, issues } = tokenize(source);
  const line = openLine(source, readTokens(source, tokens, issues), analysis);
  const { reader, parts, draft, spans, wheres } = line;
  const start = reader.take();
  const period = start.text.toLowerCase() === analysis ? undefined : periodIn(start.text, analysis);
  if (period) {
    line.put(parts.find((part) => part.name === 'by')!, period, start.span);
    reader.take();
  }
  const name = takeName(reader, parts, analysis);
  if (name) {
    spans.set('named', name.span);
    line.events = { text: name.text, end: name.span.end };
  }
  // A funnel may begin with its steps, without a word before them.
  if (!name && analysis === 'funnel' && !partAt(reader, parts) && !startsCommon(reader))
    takeValues(reader, parts[0] as DefinitionPart, parts, line.put);
  while (reader.peek().kind !== 'end') takeClause(line, name);
  if (name && !line.isFirstWord && (!draft.isEmpty() || wheres.length > 0))
    reader.complain(
      'notation-unexpected',
      `${quote(name.text)} is taken for the name of a saved ${analysis}, whose parts cannot be given here.`,
      `Leave out the name. To define another one, begin with \`${analysis} of …\`.` +
        (analysis === 'funnel' && wheres.length > 0
          ? ` A condition on one step stands in its quotes: \`funnel '${name.text} where …' then …\`.`
          : ''),
      name.span,
    );
  const ranges = resolveRanges(line.range, line.compared, ({ code, message, hint, span }) => {
    reader.complain(code, message, hint, span);
  });
  const definition = wheres.length === 0 ? draft.definition : { ...draft.definition, where: wheres };
  const locate: Locate = (path) => spans.get(String(path[0])) ?? draft.locate(path) ?? toSpan(source, 0, source.length);
  return {
    analysis,
    named: name?.text,
    definition,
    range: ranges.range?.range,
    compare: ranges.compare.length === 0 ? undefined : ranges.compare.map((each) => each.range),
    timezone: line.timezone,
    issues: reader.issues,
    locate,
    source,
    file: undefined,
  };
}

/** A line that is being read. */
interface LineDraft {
  readonly source: string;
  readonly reader: TokenReader;
  readonly analysis: DefinedByParts;
  readonly parts: readonly DefinitionPart[];
  readonly draft: ReturnType<typeof draftDefinition>;
  readonly spans: Map<string, Span>;
  readonly wheres: string[];
  readonly compared: RangeNode[];
  range: RangeNode | undefined;
  timezone: string | undefined;
  /** The events that were given last, and where they end. */
  events: { readonly text: string; readonly end: number } | undefined;
  /** Whether the name is the first word of the name of events. */
  isFirstWord: boolean;
  readonly put: Put;
  /** Notes where a clause is, which a line may have once. */
  readonly once: (key: 'range' | 'compare' | 'timezone' | 'where', what: string, span: Span) => void;
}

function openLine(source: string, reader: TokenReader, analysis: DefinedByParts): LineDraft {
  const [draft, spans] = [draftDefinition(), new Map<string, Span>()];
  const twice = (what: string, more: string, span: Span) =>
    reader.complain('notation-twice', `The line already has ${what}.`, `Keep one of them.${more}`, span);
  const line: LineDraft = {
    source,
    reader,
    analysis,
    parts: definitionParts[analysis],
    draft,
    spans,
    wheres: [],
    compared: [],
    range: undefined,
    timezone: undefined,
    events: undefined,
    isFirstWord: false,
    put(part, value, span) {
      const isEvents = part.value === 'events';
      if (isEvents) line.events = { text: String(value), end: span.end };
      if (!draft.put(part, value, span)) twice(`"${part.name}"`, isEvents ? ` ${hintOnWords}` : '', span);
    },
    once(key, what, span) {
      if (spans.has(key)) twice(what, '', span);
      spans.set(key, span);
    },
  };
  return line;
}

function takeClause(line: LineDraft, name: Token | undefined): void {
  const { reader, parts } = line;
  const part = partAt(reader, parts);
  if (!part) reader.takeSeveral(wordsBeforeRange(reader));
  if (part && startsRange(reader) && startsRange(reader, 1) && !endsRange(reader)) {
    // In `from last 7 days`, the step is missing and only the range follows.
    reader.take();
    missing(reader, part);
  } else if (startsRange(reader) && !(part && !startsRange(reader, 1))) takeRange(line);
  else if (reader.isWord('where')) takeWhere(line);
  else if (reader.isWord('compare', 'compared', 'vs', 'versus')) takeComparison(line);
  else if (reader.isWord('in', 'zone', 'timezone')) takeZone(line);
  else if (part) takePart(reader, part, parts, line.put);
  else refuseWords(line, name);
}

function takeRange(line: LineDraft): void {
  const read = parseRange(line.reader);
  if (!read) return line.reader.recover();
  line.once('range', 'a time range', read.span);
  line.range = read;
}

function takeWhere({ source, reader, once, wheres }: LineDraft): void {
  const first = reader.take();
  const condition = parseCondition(reader, openScope(defaultCube, undefined), { manyValues: false });
  if (!condition) return reader.recover();
  const span = reader.spanFrom(first);
  once('where', 'conditions', span);
  wheres.push(source.slice(span.start + 'where'.length, span.end).trim());
}

function takeComparison(line: LineDraft): void {
  const { reader, compared, parts } = line;
  // In `last week vs previous`, the range of the line is the first of several.
  if (reader.isWord('vs', 'versus') && line.range) {
    compared.push(line.range);
    line.range = undefined;
  }
  const first = reader.take();
  if (!parseComparison(reader, compared, (next) => partAt(next, parts) !== undefined)) reader.recover();
  line.once('compare', 'a comparison', reader.spanFrom(first));
}

function takeZone(line: LineDraft): void {
  const { reader } = line;
  reader.take();
  if (startsRange(reader)) return;
  const { kind, text, span } = reader.peek();
  if (kind !== 'word') return void reader.miss('notation-zone', 'A time zone');
  reader.take();
  line.once('timezone', 'a time zone', span);
  line.timezone = text;
}

/** Reports words that begin no clause, with what was probably meant. */
function refuseWords(line: LineDraft, name: Token | undefined): void {
  const { source, reader, parts, analysis, events } = line;
  const first = reader.peek();
  const isCut = /["']/.test(source[first.span.start - 1] ?? '');
  const further = events?.end === first.span.start - 1 && first.kind === 'word' ? wordsAhead(reader, parts) : [];
  if (further.length > 0 && events?.end === name?.span.end) line.isFirstWord = true;
  const saysTo = analysis === 'funnel' && reader.isWord('to') && events && !/\bthen\b/i.test(source);
  const hint =
    (isCut ? hintOnQuotes : undefined) ??
    (saysTo ? `Write \`then\` between the steps: \`${events.text} then ${reader.peek(1).text}\`.` : undefined) ??
    didYouMean(first.text, clausesOf(parts)) ??
    (events && further.length > 0
      ? `${hintOnWords.slice(0, -1)}: \`"${[events.text, ...further].join(' ')}"\`.`
      : undefined) ??
    `Write, in any order, ${[...parts.map(({ name }) => `\`${name}\``), '`where`'].join(', ')}, ` +
      'and a range such as `last 8 weeks`.';
  reader.complain('notation-unexpected', `${describeToken(first)} is not expected here.`, hint);
  reader.takeSeveral(Math.max(1, further.length));
  if (isCut) reader.recover();
}

/** For a word directly behind a quotation mark, which ended a quoted text too early. */
const hintOnQuotes = "For quotes within quotes, write the outer ones as '…': `'purchase where \"Plan type\" = pro'`.";

const hintOnWords = 'Put the name of events in quotes if it has several words.';

type Put = (part: DefinitionPart, value: unknown, span: Span) => void;

/**
 * The name of a saved definition, directly after the analysis: `funnel checkout`. Steps and clauses do not count as
 * names.
 */
function takeName(reader: TokenReader, parts: readonly DefinitionPart[], analysis: DefinedByParts): Token | undefined {
  const { kind, text } = reader.peek();
  const isStep = analysis === 'funnel' && (/^(?:,|then)$/i.test(reader.peek(1).text) || arrowAhead(reader, 1) > 0);
  if (kind === 'end' || kind === 'sign' || isStep || text.startsWith('/')) return undefined;
  if (partAt(reader, parts) || startsCommon(reader)) return undefined;
  return reader.take();
}

/** Words that begin the clauses of all analyses, beside ranges. */
const commonWords = ['where', 'in', 'zone', 'timezone', 'compare', 'compared', 'vs', 'versus'] as const;

function startsCommon(reader: TokenReader): boolean {
  if (reader.peek().kind === 'end' || startsRange(reader) || wordsBeforeRange(reader) > 0) return true;
  return reader.isWord(...commonWords);
}

/** The words before the next part or clause. */
function wordsAhead(reader: TokenReader, parts: readonly DefinitionPart[]): readonly string[] {
  const words: string[] = [];
  const starts = new Set([...parts.flatMap(wordsOf), ...commonWords].map((word) => word.toLowerCase()));
  for (let ahead = 0; reader.peek(ahead).kind === 'word' && !startsRange(reader, ahead); ahead += 1) {
    const { text } = reader.peek(ahead);
    if (words.length > 0 && starts.has(text.toLowerCase())) break;
    words.push(text);
  }
  return words;
}

function wordsOf({ name, words = [], bare, choices = [] }: DefinitionPart): readonly string[] {
  return [name, ...words, ...(bare ? choices : [])];
}

function partAt(reader: TokenReader, parts: readonly DefinitionPart[]): DefinitionPart | undefined {
  const named = parts.find((part) => reader.isWord(...wordsOf(part)));
  if (named || !reader.isWord('from', 'to')) return named;
  // Only before a path or a quoted name: `Add to Cart` is one event.
  const { kind, text } = reader.peek(1);
  return kind === 'text' || text.startsWith('/') ? parts.find(({ path: [key] }) => key === 'steps') : undefined;
}

function takePart(reader: TokenReader, part: DefinitionPart, parts: readonly DefinitionPart[], put: Put): void {
  const { name, value, choices, bare, kind } = part;
  const word = reader.peek();
  const chosen = word.text.toLowerCase();
  if (bare && choices?.includes(chosen) && chosen !== name) return put(part, chosen, reader.take().span);
  reader.take();
  if (value === undefined) return put(part, true, word.span);
  if (isRepeatable(part)) return takeValues(reader, part, parts, put, word.text);
  if (name === 'by') return takeBy(reader, part, parts, put);
  const first = reader.peek();
  if (!startsValue(reader)) return void missing(reader, part, word.text);
  if (kind === 'dimension') return putName(reader, part, parts, put);
  if (choices && !choices.includes(first.text.toLowerCase())) return void refuseChoice(reader, part);
  if (kind === 'number' && !/^\d{1,9}$/.test(first.text)) {
    reader.miss('notation-number', 'A whole number');
    reader.take();
    return;
  }
  reader.take();
  if (kind === 'number') return put(part, Number(first.text), first.span);
  if (choices) return put(part, first.text.toLowerCase(), first.span);
  const unit = kind === 'duration' && /^\d+$/.test(first.text) ? reader.peek() : undefined;
  const withUnit = unit?.kind === 'word' && toGranularity(unit.text.replace(/s$/i, '')) !== undefined;
  const text = withUnit ? `${first.text} ${reader.take().text}` : first.text;
  put(part, text, reader.spanFrom(first));
}

/** The number of tokens of an arrow between steps: `->`, `>` or `→`. */
function arrowAhead(reader: TokenReader, ahead = 0): number {
  const [first, second] = [reader.peek(ahead), reader.peek(ahead + 1)];
  if (first.text === '-') return second.text === '>' && second.span.start === first.span.end ? 2 : 0;
  return ['>', '→'].includes(first.text) && first.kind !== 'text' ? 1 : 0;
}

function skipArrow(reader: TokenReader): boolean {
  return reader.takeSeveral(arrowAhead(reader)).length > 0;
}

/** Takes values that are joined by a comma, `then` or `and`, steps also by arrows. */
function takeValues(
  reader: TokenReader,
  part: DefinitionPart,
  parts: readonly DefinitionPart[],
  put: Put,
  word?: string,
): void {
  do {
    if (!startsValue(reader)) return void missing(reader, part, word);
    if (part.kind === 'dimensions') putName(reader, part, parts, put);
    else {
      const { text, span } = reader.take();
      put(part, text, span);
    }
  } while (
    reader.skip(',') ||
    reader.skip('then') ||
    reader.skip('and') ||
    (part.path[0] === 'steps' && skipArrow(reader))
  );
}

/**
 * Takes the name of a dimension: in quotes, or words up to one that begins a part or looks like a misspelled one, and
 * words in brackets. Two words before a quoted name may say which touch, which the definition refuses.
 */
function putName(reader: TokenReader, part: DefinitionPart, parts: readonly DefinitionPart[], put: Put): void {
  const first = reader.peek();
  const touch = touchWords([first.text, reader.peek(1).text]);
  if (touch > 0 && reader.peek(touch).kind === 'text') reader.takeSeveral(touch);
  if (reader.take().kind === 'word') {
    while (reader.peek().kind === 'word' && !partAt(reader, parts) && !startsCommon(reader)) {
      if (/^(?:then|and)$/i.test(reader.peek().text)) break;
      if (nearest(reader.peek().text, clausesOf(parts)) !== undefined) break;
      reader.take();
    }
    takeBrackets(reader);
  }
  put(part, first.kind === 'text' ? first.text : reader.textFrom(first), reader.spanFrom(first));
}

function clausesOf(parts: readonly DefinitionPart[]): readonly string[] {
  return [...parts.flatMap(wordsOf), 'where', 'last', 'in'];
}

/**
 * Takes `by week` as a period and `by agentName` as a breakdown. A word is a breakdown only if the analysis supports
 * one, and if the word is neither a period nor similar to one.
 */
function takeBy(reader: TokenReader, part: DefinitionPart, parts: readonly DefinitionPart[], put: Put): void {
  const breakdown = parts.find(({ name }) => name === 'breakdown');
  do {
    const token = reader.peek();
    if (token.kind === 'text' && breakdown) {
      putName(reader, breakdown, parts, put);
      continue;
    }
    if (token.kind !== 'word') return void missing(reader, part);
    const chosen = token.text.toLowerCase();
    if (part.choices?.includes(chosen)) put(part, chosen, reader.take().span);
    else if (breakdown && toGranularity(chosen) === undefined && nearest(chosen, part.choices ?? []) === undefined) {
      putName(reader, breakdown, parts, put);
    } else return void refuseChoice(reader, part, breakdown ? undefined : hintOnBreakdown(token.text));
  } while (reader.skip(',') || reader.skip('and'));
}

/** Whether a `to` follows, so that `from` begins a range. */
function endsRange(reader: TokenReader): boolean {
  for (let ahead = 1; reader.peek(ahead).kind !== 'end'; ahead += 1)
    if (/^to$/i.test(reader.peek(ahead).text)) return true;
  return false;
}

/** Whether a value can begin here. `where` and `then` are values only in quotes. */
function startsValue(reader: TokenReader): boolean {
  const { kind } = reader.peek();
  return kind === 'text' || (kind === 'word' && !reader.isWord('where', 'then'));
}

/** Reports a missing value. `word`: how the line wrote the part's name. */
function missing(reader: TokenReader, { name, value }: DefinitionPart, word = name): undefined {
  const message = `A value is expected after ${quote(word)}, not ${describeToken(reader.peek())}.`;
  return reader.complain('notation-value', message, `Write \`${word} ${value?.toUpperCase()}\`.`);
}

/** For a word after `by` in an analysis without a breakdown. */
function hintOnBreakdown(text: string): string {
  return `To follow users of one value only, write \`where ${text} = …\`.`;
}

/** `more`: a further hint, unless the word is near a choice. */
function refuseChoice(reader: TokenReader, { name, choices = [] }: DefinitionPart, more?: string): void {
  const token = reader.peek();
  const message = `${describeToken(token)} is not valid for "${name}".`;
  const unit = toGranularity(token.text);
  // Of all analyses, only funnels have no periods.
  const isTrend = unit !== undefined && choices.includes('session');
  const trend =
    'For results by time of entry, ' +
    `run \`sluice funnel\` with --trend ${trendUnits.find((each) => each === unit) ?? 'day'}.`;
  const offered = oneOfHint(token.text, choices);
  const isNear = nearest(token.text, choices) !== undefined;
  const hint = more === undefined || isNear ? offered : `${offered} ${more}`;
  reader.complain('notation-value', message, isTrend ? trend : hint);
  reader.take();
}

/** The issues that the text of a line alone reveals. The definition itself is checked when it is asked. */
export function issuesOfLine(
  line: string,
  names: { readonly members: MemberCatalog; readonly defaultCube: string },
): readonly Issue[] {
  const analysis = analysisOfLine(line, names.members);
  return analysis ? readAnalysisLine(line, analysis).issues : readNotation(line, names).issues;
}
