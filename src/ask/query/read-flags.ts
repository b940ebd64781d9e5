import { attachSpans, type Located } from '../document/located.ts';
import { errorIssue, settle } from '../outcome.ts';
import { asksForSomething } from './asks-for-something.ts';
import { type FlagLine, openFlagLine, splitAtCommas } from './flag-line.ts';
import { cubeOf } from './member-name.ts';
import { mergeQuery, type QueryParts } from './merge-query.ts';
import { openScope } from './name-scope.ts';
import type { NotationOptions } from './notation/read-notation.ts';
import { openPlaces } from './places.ts';
import type { Filter, OrderPair, Query } from './query.ts';
import {
  type FlagContext, readNumberFlag, readOrderFlag, readRangeFlag, readTimeFlag, readWhereFlag, type TimeFlag,
} from './read-flag-values.ts';
import { defaultCube } from './default-cube.ts';

/** A query as flags of a command say it. */
export interface QueryFlags {
  /** `-m`: names, several with commas. */
  readonly measures?: readonly string[] | undefined;
  /** `-d`: names, several with commas. */
  readonly dimensions?: readonly string[] | undefined;
  /** `-t`: `utcTime:day`, `utcTime`, or just `day`. */
  readonly times?: readonly string[] | undefined;
  /** `--range`: a phrase, a date, or two dates with a comma or `..` between them. */
  readonly range?: string | undefined;
  /** `--where`: `docPath = /a`, `docPath equals /a /b`. All of them hold. */
  readonly where?: readonly string[] | undefined;
  /** `--segment`: names, several with commas. */
  readonly segments?: readonly string[] | undefined;
  /** `--order`: `count:desc`. */
  readonly order?: readonly string[] | undefined;
  readonly limit?: string | number | undefined;
  readonly offset?: string | number | undefined;
  readonly timezone?: string | undefined;
}

export interface FlagOptions extends NotationOptions {
  /** The query that the flags are laid over. */
  readonly over?: Query | undefined;
}

/**
 * A query out of flags, or flags laid over a query (see `mergeQuery`). Names are read as in the one-line notation.
 * All issues at once; they point into `source`, which is the flags written as one line. `locate` finds the parts of
 * the query that came from flags, and nothing of the query below them. Never throws.
 */
export function readQueryFlags(flags: QueryFlags, options: FlagOptions = {}): Located<Query> {
  const { over = {} } = options;
  const line = openFlagLine();
  const scope = openScope(cubeIn(over) ?? options.defaultCube ?? defaultCube, options.members);
  const context: FlagContext = { scope, places: openPlaces(), issues: [] };
  const query = mergeQuery(over, readParts(flags, over, line, context), scope.timeMember());
  const { places, issues } = context;
  if (![...issues, ...scope.issues].some(({ severity }) => severity === 'error') && !asksForSomething(query)) {
    issues.push(errorIssue('nothing-asked', 'The flags ask for nothing.', { hint: 'Give a measure, such as `-m pageViewsCount`.' }));
  }
  const all = attachSpans([...issues, ...scope.issues], places.locate);
  return { ...settle<Query>(query, all), source: line.text(), file: undefined, locate: places.locate };
}

function readParts(flags: QueryFlags, over: Query, line: FlagLine, context: FlagContext): QueryParts {
  const measures = flags.measures && readNames('-m', 'measures', flags.measures, 0, line, context);
  const { dimensions, times } = readGroups(flags, line, context);
  const allTimes = [...times, ...(over.timeDimensions ?? [])];
  return {
    measures,
    dimensions: flags.dimensions && dimensions,
    times: times.length > 0 ? times : undefined,
    range: readOne(flags.range, '--range', ['timeDimensions', 0, 'dateRange'], line, context, (value) => readRangeFlag(value, context)),
    filters: readWheres(flags.where ?? [], over.filters?.length ?? 0, line, context),
    segments: readNames('--segment', 'segments', flags.segments ?? [], over.segments?.length ?? 0, line, context),
    order: flags.order && readOrders(flags.order, allTimes, line, context),
    limit: readOne(flags.limit, '--limit', ['limit'], line, context, (value) => readNumberFlag(value, context)),
    offset: readOne(flags.offset, '--offset', ['offset'], line, context, (value) => readNumberFlag(value, context)),
    timezone: readOne(flags.timezone, '--timezone', ['timezone'], line, context, (value) => value.text),
  };
}

/** The first measure's cube is where short names are looked for from then on. */
function readNames(
  flag: string, key: 'measures' | 'segments', values: readonly string[], first: number, line: FlagLine, { scope, places }: FlagContext,
): readonly string[] {
  const names: string[] = [];
  for (const part of values.flatMap((value) => splitAtCommas(line.add(flag, value)))) {
    const found = scope.resolve(part, key === 'measures' ? 'measure' : 'segment');
    if (!found) continue;
    if (key === 'measures' && names.length === 0) scope.enterCube(cubeOf(found.name));
    places.put([key, first + names.length], part.span);
    names.push(found.name);
  }
  return names;
}

function readGroups(flags: QueryFlags, line: FlagLine, context: FlagContext) {
  const { scope, places } = context;
  const dimensions: string[] = [];
  const times: TimeFlag[] = [];
  for (const part of (flags.dimensions ?? []).flatMap((value) => splitAtCommas(line.add('-d', value)))) {
    const found = scope.resolve(part, 'group');
    if (!found) continue;
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
  return { dimensions, times };
}

function readWheres(wheres: readonly string[], first: number, line: FlagLine, context: FlagContext): readonly Filter[] {
  const filters: Filter[] = [];
  for (const where of wheres) filters.push(...readWhereFlag(line.add('--where', where), first + filters.length, context));
  return filters;
}

function readOrders(orders: readonly string[], times: readonly TimeFlag[], line: FlagLine, context: FlagContext): readonly OrderPair[] {
  const pairs: OrderPair[] = [];
  for (const written of orders) {
    const value = line.add('--order', written);
    const pair = readOrderFlag(value, times, context);
    if (pair) context.places.put(['order', pairs.push(pair) - 1], value.span);
  }
  return pairs;
}

function readOne<T>(
  written: string | number | undefined, flag: string, path: readonly (string | number)[], line: FlagLine, { places }: FlagContext,
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
