import { attachSpans, type Located, openPlaces, type Places, toSpan } from '../document/located.ts';
import { nearestHint } from '../document/read-value.ts';
import { errorIssue, type Issue, settle, type Span } from '../outcome.ts';
import { cubeOf, defaultCube } from '../query/member-name.ts';
import { mergeQuery, type QueryParts } from '../query/merge-query.ts';
import {
  asksForSomething,
  type DateRangeText,
  type Filter,
  type OrderPair,
  type Query,
  type TimeDimension,
} from '../query/query.ts';
import { quote } from '../text.ts';
import { type NameScope, openScope } from './name-scope.ts';
import { parseCondition, quoteHint, warnOfStars, toConjunction } from './parse-condition.ts';
import { parseMeasures } from './parse-notation.ts';
import { isDayOrInstant, parseRange, startsRange } from './parse-range.ts';
import type { NotationOptions } from './read-notation.ts';
import { resolveCondition } from './resolve-condition.ts';
import { resolveMeasures } from './resolve-notation.ts';
import type { MeasureNode } from './syntax.ts';
import { describeToken, readTokens, tokenize } from './tokens.ts';
import { toGranularity } from './words.ts';
import type { ResolvedName } from './wrong-kind.ts';

/** A query as flags of a command. */
export interface QueryFlags {
  /** `-m`: names and formulas (`count / uniqueUsersCount as perUser`), separated by commas. */
  readonly measures?: readonly string[] | undefined;
  /** `-d`: names, separated by commas. */
  readonly dimensions?: readonly string[] | undefined;
  /** `-t`: `utcTime:day`, `utcTime`, or just `day`. */
  readonly times?: readonly string[] | undefined;
  /** `--range`: a phrase, a date, or two dates separated by a comma or `..`. */
  readonly range?: string | undefined;
  /** `--where`: `docPath = /a`, `docPath equals /a /b`. All conditions must hold. */
  readonly where?: readonly string[] | undefined;
  /** `--segment`: names, separated by commas. */
  readonly segments?: readonly string[] | undefined;
  /** `--order`: `count:desc`. */
  readonly order?: readonly string[] | undefined;
  readonly limit?: string | number | undefined;
  readonly offset?: string | number | undefined;
  readonly timezone?: string | undefined;
}

interface FlagOptions extends NotationOptions {
  /** The query that the flags change. */
  readonly over?: Query | undefined;
}

/**
 * Reads flags into a query, or merges them over one (see `mergeQuery`). Names are read as in the one-line notation.
 * Returns all issues at once; they point into `source`, which is the flags as one line. `locate` finds only the parts
 * of the query that came from flags. Never throws.
 */
export function readQueryFlags(flags: QueryFlags, options: FlagOptions = {}): Located<Query> {
  const { over = {} } = options;
  const line = openFlagLine();
  const scope = openScope(cubeIn(over) ?? options.defaultCube ?? defaultCube, options.members);
  for (const name of Object.keys(over.formulas ?? {})) scope.define(name);
  const context: FlagContext = { scope, places: openPlaces(), issues: [] };
  const query = mergeQuery(over, readParts(flags, over, line, context), scope.timeMember());
  const { places, issues } = context;
  if (![...issues, ...scope.issues].some(({ severity }) => severity === 'error') && !asksForSomething(query)) {
    issues.push(
      errorIssue('nothing-asked', 'The flags request nothing.', {
        hint: 'Give a measure, such as `-m pageViewsCount`.',
      }),
    );
  }
  const all = attachSpans([...issues, ...scope.issues], places.locate);
  return { ...settle<Query>(query, all), source: line.text(), file: undefined, locate: places.locate };
}

function readParts(flags: QueryFlags, over: Query, line: FlagLine, context: FlagContext): QueryParts {
  const asked = flags.measures && readMeasures(flags.measures, line, context);
  const { dimensions, times, columns } = readGroups(flags, line, context);
  const allTimes = [...times, ...(over.timeDimensions ?? [])];
  return {
    measures: asked?.measures,
    formulas: asked && Object.fromEntries(asked.formulas),
    dimensions: flags.dimensions && dimensions,
    times: times.length > 0 ? times : undefined,
    columns: columns.length > 0 ? columns : undefined,
    range: readOne(flags.range, '--range', ['timeDimensions', 0, 'dateRange'], line, context, (value) =>
      readRangeFlag(value, context),
    ),
    filters: readWheres(flags.where ?? [], over.filters?.length ?? 0, line, context),
    segments: readSegments(flags.segments ?? [], over.segments?.length ?? 0, line, context),
    order: flags.order && readOrders(flags.order, allTimes, line, context),
    limit: readOne(flags.limit, '--limit', ['limit'], line, context, (value) => readNumberFlag(value, context)),
    offset: readOne(flags.offset, '--offset', ['offset'], line, context, (value) => readNumberFlag(value, context)),
    timezone: readOne(flags.timezone, '--timezone', ['timezone'], line, context, (value) => value.text),
  };
}

/** Reads names and formulas, as at the start of a line. */
function readMeasures(values: readonly string[], line: FlagLine, { scope, places, issues }: FlagContext) {
  const nodes = values
    .flatMap((value) => splitAtCommas(line.add('-m', value)))
    .flatMap((part): readonly MeasureNode[] => {
      if (scope.kindOf(part.text, 'measure') === 'measure') return [part];
      const text = line.text().slice(0, part.span.end);
      const { tokens, issues: found } = tokenize(text, part.span.start);
      const reader = readTokens(text, tokens, found);
      const measures = parseMeasures(reader, scope);
      if (reader.peek().kind !== 'end' && reader.issues.length === 0)
        reader.complain(
          'notation-unexpected',
          `${describeToken(reader.peek())} is not expected after a measure.`,
          'A formula is made of measures, numbers, `+ - * /` and brackets.',
        );
      issues.push(...reader.issues);
      return reader.issues.length > 0 ? [] : measures;
    });
  return resolveMeasures(nodes, scope, places, issues);
}

function readSegments(
  values: readonly string[],
  first: number,
  line: FlagLine,
  { scope, places }: FlagContext,
): readonly string[] {
  const names: string[] = [];
  for (const part of values.flatMap((value) => splitAtCommas(line.add('--segment', value)))) {
    const found = scope.resolve(part, 'segment');
    if (!found) continue;
    places.put(['segments', first + names.length], part.span);
    names.push(found.name);
  }
  return names;
}

function readGroups(flags: QueryFlags, line: FlagLine, context: FlagContext) {
  const { scope, places } = context;
  const dimensions: string[] = [];
  const times: TimeFlag[] = [];
  const columns: string[] = [];
  for (const part of (flags.dimensions ?? []).flatMap((value) => splitAtCommas(line.add('-d', value)))) {
    const found = scope.resolve(part, 'group');
    if (!found) continue;
    columns.push(found.granularity ? `${found.name}.${found.granularity}` : found.name);
    const place = found.granularity
      ? ['timeDimensions', times.push({ dimension: found.name, granularity: found.granularity }) - 1]
      : ['dimensions', dimensions.push(found.name) - 1];
    places.put(place, part.span);
  }
  for (const written of flags.times ?? []) {
    const value = line.add('-t', written);
    const time = readTimeFlag(value, context);
    if (time) places.put(['timeDimensions', times.push(time) - 1], value.span);
  }
  return { dimensions, times, columns };
}

function readWheres(wheres: readonly string[], first: number, line: FlagLine, context: FlagContext): readonly Filter[] {
  const filters: Filter[] = [];
  for (const where of wheres)
    filters.push(...readWhereFlag(line.add('--where', where), first + filters.length, context));
  return filters;
}

function readOrders(
  orders: readonly string[],
  times: readonly TimeFlag[],
  line: FlagLine,
  context: FlagContext,
): readonly OrderPair[] {
  const pairs: OrderPair[] = [];
  for (const written of orders) {
    const value = line.add('--order', written);
    const pair = readOrderFlag(value, times, context);
    if (pair) context.places.put(['order', pairs.push(pair) - 1], value.span);
  }
  return pairs;
}

function readOne<T>(
  written: string | number | undefined,
  flag: string,
  path: readonly (string | number)[],
  line: FlagLine,
  { places }: FlagContext,
  read: (value: ReturnType<FlagLine['add']>) => T,
): T | undefined {
  if (written === undefined) return undefined;
  const value = line.add(flag, String(written));
  places.put(path, value.span);
  return read(value);
}

function cubeIn({ measures, dimensions, timeDimensions }: Query): string | undefined {
  const name = measures?.[0] ?? dimensions?.[0] ?? timeDimensions?.[0]?.dimension;
  return name === undefined ? undefined : cubeOf(name);
}

/** The state for reading the values of flags; every issue goes into `issues` or the scope's. */
interface FlagContext {
  readonly scope: NameScope;
  readonly places: Places;
  readonly issues: Issue[];
}

type TimeFlag = Pick<TimeDimension, 'dimension' | 'granularity'>;

/** Reads `utcTime:day`, `utcTime.day`, `utcTime`, or `day` for the cube's usual time. */
function readTimeFlag(value: FlagValue, { scope, issues }: FlagContext): TimeFlag | undefined {
  const { name, option } = splitAtColon(value);
  const bare = option ? undefined : toGranularity(name.text);
  const found: ResolvedName | undefined = bare
    ? { name: scope.timeMember(), kind: 'time', granularity: bare }
    : scope.resolve(name, 'group');
  const granularity = option && found && (scope.granularityOf(found.name, option.text) ?? toGranularity(option.text));
  if (option && found && !granularity)
    issues.push(unknown('unknown-granularity', 'granularity', option, scope.granularitiesOf(found.name)));
  return found && { dimension: found.name, granularity: granularity ?? found.granularity };
}

/** Reads `count:desc`, `day`, `utcTime.day:asc`. A bucket stands for the query's time of that granularity. */
function readOrderFlag(
  value: FlagValue,
  times: readonly TimeFlag[],
  { scope, issues }: FlagContext,
): OrderPair | undefined {
  const { name, option } = splitAtColon(value);
  const direction = option?.text.toLowerCase() ?? 'asc';
  if (option && direction !== 'asc' && direction !== 'desc')
    issues.push(unknown('unknown-direction', 'direction', option, ['desc', 'asc']));
  const bucket = toGranularity(name.text);
  const dimension = times.find(({ granularity }) => granularity === bucket)?.dimension ?? scope.timeMember();
  const found: ResolvedName | undefined = bucket
    ? { name: dimension, kind: 'time', granularity: bucket }
    : scope.resolve(name);
  return (
    found && [
      found.granularity ? `${found.name}.${found.granularity}` : found.name,
      direction === 'desc' ? 'desc' : 'asc',
    ]
  );
}

/** Reads a whole number from 0. */
function readNumberFlag(value: FlagValue, { issues }: FlagContext): number | undefined {
  const number = Number(value.text);
  if (/^\d+$/.test(value.text) && Number.isSafeInteger(number)) return number;
  issues.push(
    errorIssue('not-a-number', `\`${value.flag}\` takes a whole number, not ${quote(value.text)}.`, {
      span: value.span,
      hint: `Write, for example, \`${value.flag} 10\`.`,
    }),
  );
  return undefined;
}

/**
 * Reads two days or instants (`A..B`, `A,B`, `from A to B`) as a pair. Other ranges are phrases, which binding the
 * query reads.
 */
function readRangeFlag(value: FlagValue, { issues }: FlagContext): DateRangeText {
  const ends = value.text.split(/\.\.|,/).map((end) => end.trim());
  const [from, to] = ends;
  if (from !== undefined && to !== undefined && ends.length === 2 && ends.every(isDayOrInstant)) return [from, to];
  if (value.text.trim() === '') {
    const hint = 'Write, for example, `last 7 days`, `2024-03`, or `2024-03-01..2024-03-31`.';
    issues.push(errorIssue('empty-range', 'The range is empty.', { span: value.span, hint }));
  }
  const reader = readTokens(value.line, tokenize(value.line, value.span.start).tokens, []);
  const parsed = startsRange(reader) ? parseRange(reader) : undefined;
  return parsed && reader.peek().kind === 'end' && typeof parsed.range !== 'string' ? parsed.range : value.text.trim();
}

/**
 * Reads `docPath = /a or docPath equals /b /c`: as after `where` in a line, except that an operator written as a word
 * takes several values. `first` is the index of the first filter in the query.
 */
function readWhereFlag(value: FlagValue, first: number, { scope, places, issues }: FlagContext): readonly Filter[] {
  const { tokens, issues: found } = tokenize(value.line, value.span.start);
  const reader = readTokens(value.line, tokens, found);
  const condition = parseCondition(reader, scope, { manyValues: true });
  const rest = reader.peek();
  if (condition && rest.kind !== 'end') {
    reader.complain('notation-unexpected', `${quote(rest.text)} is not expected after the condition.`, quoteHint);
  }
  issues.push(...reader.issues);
  if (!condition || reader.issues.length > 0) return [];
  issues.push(...warnOfStars([condition]));
  return toConjunction(condition).flatMap(
    (node, index) => resolveCondition(node, ['filters', first + index], scope, places) ?? [],
  );
}

function unknown(code: string, what: string, { text, span }: FlagPart, allowed: readonly string[]): Issue {
  return errorIssue(code, `${quote(text)} is not a valid ${what}.`, { span, hint: nearestHint(text, allowed) });
}

/** The flags as one line of text, so that issues can point at them. */
interface FlagLine {
  readonly text: () => string;
  /** Appends a flag and its value. */
  readonly add: (flag: string, value: string) => FlagValue;
}

/** A part of the line. */
interface FlagPart {
  readonly text: string;
  readonly span: Span;
}

/** A flag's value, and its place in the line. */
interface FlagValue extends FlagPart {
  readonly flag: string;
  /** The line up to the end of the value, which begins at `span.start`. */
  readonly line: string;
  /** A part of the value, by offsets into it. */
  readonly part: (start: number, end?: number) => FlagPart;
}

function openFlagLine(): FlagLine {
  let line = '';
  const add = (flag: string, text: string): FlagValue => {
    const quote = /^[\w./:,=@%+-]+$/.test(text) ? '' : '"';
    const before = `${line}${line === '' ? '' : ' '}${flag} ${quote}`;
    const upTo = before + text;
    line = upTo + quote;
    const part = (start: number, end = text.length): FlagPart => ({
      text: text.slice(start, end),
      span: toSpan(upTo, before.length + start, before.length + end),
    });
    return { flag, line: upTo, part, ...part(0) };
  };
  return { text: () => line, add };
}

/** The parts of a value between commas outside brackets, trimmed. */
function splitAtCommas(value: FlagValue): readonly FlagPart[] {
  const parts = value.text.matchAll(/(?=[^,\s])(?:\((?:[^()]|\([^()]*\))*\)|[^,])+/g);
  return [...parts].map((match) => value.part(match.index, match.index + match[0].trimEnd().length));
}

/** Splits `count:desc` at its last colon. */
function splitAtColon(value: FlagValue): { readonly name: FlagPart; readonly option: FlagPart | undefined } {
  const colon = value.text.lastIndexOf(':');
  return colon === -1
    ? { name: value, option: undefined }
    : { name: value.part(0, colon), option: value.part(colon + 1) };
}
