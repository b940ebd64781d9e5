import { splitGranularity } from './member-name.ts';
import {
  type CanonicalFilter,
  type CanonicalQuery,
  type DateRangeText,
  type Filter,
  type OrderPair,
  type Query,
  type TimeDimension,
  needsValues,
} from './query.ts';

/**
 * The canonical form of a query. Keys are in a fixed order. Empty lists (except `order: []`, which means no order) and
 * `false` are dropped, and names are unique. Order is a list of pairs. Numbers and booleans among filter values become
 * text; values of operators that take none are dropped. `Cube.time.day` among the dimensions becomes a time dimension.
 * `columns` is as short as the order allows. Idempotent.
 */
export function toCanonicalQuery(query: Query): CanonicalQuery {
  const { dimensions, timeDimensions } = splitTimes(query);
  return pruned(
    {
      measures: unique([...(query.measures ?? []), ...Object.keys(query.formulas ?? {})]),
      formulas: query.formulas && Object.keys(query.formulas).length > 0 ? toFormulas(query.formulas) : undefined,
      dimensions,
      timeDimensions,
      columns: fewestColumns([...(query.columns ?? []), ...orderAmong(query.dimensions)], {
        dimensions,
        timeDimensions,
      }),
      segments: unique(query.segments ?? []),
      filters: (query.filters ?? []).map(toCanonicalFilter),
      order: toOrderPairs(query.order),
      limit: query.limit,
      other: query.other || undefined,
      offset: query.offset,
      timezone: query.timezone,
      total: query.total || undefined,
      ungrouped: query.ungrouped || undefined,
      responseFormat: query.responseFormat,
      cacheMode: query.cacheMode,
    },
    'order',
  );
}

/** The keys of a query's groups in their default order: dimensions, then buckets of time. */
export function groupKeys({ dimensions = [], timeDimensions = [] }: Query): readonly string[] {
  const buckets = timeDimensions.flatMap(({ dimension, granularity }) =>
    granularity === undefined ? [] : [`${dimension}.${granularity}`],
  );
  return unique([...dimensions, ...buckets]);
}

/** The groups in the order of their columns: first those of `columns`. */
export function inColumnOrder(columns: readonly string[], groups: readonly string[]): readonly string[] {
  const known = new Set(groups);
  return unique([...columns.filter((key) => known.has(key)), ...groups]);
}

/** The shortest prefix of the requested columns after which the query's other groups are in their default order. */
export function fewestColumns(asked: readonly string[], query: Query): readonly string[] {
  const groups = groupKeys(query);
  const places = new Map(groups.map((key, place) => [key, place]));
  const whole = inColumnOrder(asked, groups);
  const placeAt = (index: number) => places.get(whole[index] ?? '') ?? -1;
  let count = whole.length;
  while (count > 0 && (count === whole.length || placeAt(count - 1) < placeAt(count))) count -= 1;
  return whole.slice(0, count);
}

/** Dimensions set the order of columns if they include buckets. */
function orderAmong(dimensions: readonly string[] = []): readonly string[] {
  return dimensions.some((name) => splitGranularity(name)) ? dimensions : [];
}

const spaces = /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|\s+/g;

/** Sorts formulas by name and collapses spaces, except in quoted values of conditions. */
function toFormulas(formulas: NonNullable<Query['formulas']>): NonNullable<Query['formulas']> {
  return Object.fromEntries(
    Object.entries(formulas)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, text]) => [name, text.trim().replace(spaces, (found) => (/^['"]/.test(found) ? found : ' '))]),
  );
}

/** An order as pairs; undefined if there is none. */
function toOrderPairs(order: Query['order']): readonly OrderPair[] | undefined {
  if (order === undefined) return undefined;
  return isPairs(order) ? order.map(([member, direction]) => [member, direction] as const) : Object.entries(order);
}

function isPairs(order: NonNullable<Query['order']>): order is readonly OrderPair[] {
  return Array.isArray(order);
}

function toCanonicalFilter(filter: Filter): CanonicalFilter {
  if ('and' in filter) return { and: filter.and.map(toCanonicalFilter) };
  if ('or' in filter) return { or: filter.or.map(toCanonicalFilter) };
  const { member, operator } = filter;
  const values = needsValues(operator)
    ? filter.values?.map((value) => (value === null ? null : String(value)))
    : undefined;
  return pruned({ member, operator, values });
}

function splitTimes(query: Query): {
  readonly dimensions: readonly string[];
  readonly timeDimensions: readonly TimeDimension[];
} {
  let times = (query.timeDimensions ?? []).map(toCanonicalTime);
  const dimensions: string[] = [];
  for (const name of unique(query.dimensions ?? [])) {
    const split = splitGranularity(name);
    if (!split) dimensions.push(name);
    else times = withGranularity(times, split.member, split.granularity);
  }
  return { dimensions, timeDimensions: uniqueBy(times, (time) => JSON.stringify(time)) };
}

/** Adds a granularity to a time dimension that only has a range, or else adds a time dimension. */
function withGranularity(
  times: readonly TimeDimension[],
  dimension: string,
  granularity: NonNullable<TimeDimension['granularity']>,
): TimeDimension[] {
  if (times.some((time) => time.dimension === dimension && time.granularity === granularity)) return [...times];
  const bare = times.findIndex((time) => time.dimension === dimension && time.granularity === undefined);
  if (bare === -1) return [...times, { dimension, granularity }];
  return times.map((time, index) => (index === bare ? toCanonicalTime({ ...time, granularity }) : time));
}

function toCanonicalTime(time: TimeDimension): TimeDimension {
  return pruned({
    dimension: time.dimension,
    granularity: time.granularity,
    dateRange: time.dateRange,
    compareDateRange: time.compareDateRange?.map((range): DateRangeText => range),
  });
}

/** Drops keys that are undefined or an empty list, except `keep`. */
function pruned<T extends object>(value: T, keep?: keyof T & string): T {
  const entries = Object.entries(value).filter(
    ([key, part]) => part !== undefined && (key === keep || !Array.isArray(part) || part.length > 0),
  );
  return Object.fromEntries(entries) as T;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item] as const)).values()];
}

/** A query as JSON text in its canonical form: equal texts for queries of the same meaning. */
export function writeCanonicalQuery(query: Query): string {
  return JSON.stringify(toCanonicalQuery(query));
}

const prime = 0x100000001b3n;
const offset = 0xcbf29ce484222325n;

/**
 * A hash of the canonical JSON (64-bit FNV-1a, 16 hexadecimal digits), the same however the query was written. It is
 * not cryptographic: loading node:crypto would take longer than answering a question.
 */
export function hashQuery(query: Query): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(writeCanonicalQuery(query)))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, '0');
}
