import type { GranularityName } from '../time/granularity.ts';

/** Ascending or descending. */
export type OrderDirection = 'asc' | 'desc';

/** A value to compare with. The canonical form has only strings and null. */
export type FilterValue = string | number | boolean | null;

/** Compares one member: `{member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview']}`. */
export interface MemberFilter {
  /** The full name of a dimension or measure. */
  readonly member: string;
  /** How to compare. */
  readonly operator: FilterOperator;
  /** The values. One of them must match; for a negated operator, none may match. */
  readonly values?: readonly FilterValue[] | undefined;
}

/** All of the filters must hold. */
export interface AndFilter {
  readonly and: readonly Filter[];
}

/** At least one of the filters must hold. An empty list filters nothing. */
export interface OrFilter {
  readonly or: readonly Filter[];
}

/** A condition on one member, or several conditions joined by `and` or `or`. */
export type Filter = MemberFilter | AndFilter | OrFilter;

/** Operators that compare text, numbers and booleans. */
export const valueOperators = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'contains',
  'notContains',
  'startsWith',
  'notStartsWith',
  'endsWith',
  'notEndsWith',
  'matches',
  'notMatches',
  'gt',
  'gte',
  'lt',
  'lte',
] as const;

/** Operators that take no values. */
export const presenceOperators = ['set', 'notSet', 'measureFilter'] as const;

/** Operators that compare instants. */
export const dateOperators = [
  'inDateRange',
  'notInDateRange',
  'onTheDate',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
] as const;

export const filterOperators = [...valueOperators, ...presenceOperators, ...dateOperators] as const;

/**
 * How a condition compares. Text operators (`contains`, `startsWith`, …) match if any of the values does, and ignore
 * case. `matches` takes regular expressions in the syntax of RE2; it is a sluice extension, which servers do not
 * support. Time operators take dates. `set` and `notSet` take no values.
 */
export type FilterOperator = (typeof filterOperators)[number];

/** One phrase (`last 7 days`), one day, or the first and last day or instant, both inclusive. */
export type DateRangeText = string | readonly string[];

/** A time dimension with a range, a granularity, or both. */
export interface TimeDimension {
  /** Full name of a time dimension: `TrackedEvents.utcTime`. */
  readonly dimension: string;
  /** The size of the buckets to group by. Without one, only the range applies. */
  readonly granularity?: GranularityName | undefined;
  /** The range. Without one, all time. */
  readonly dateRange?: DateRangeText | undefined;
  /** Several ranges to compare. Cannot be combined with `dateRange`. */
  readonly compareDateRange?: readonly DateRangeText[] | undefined;
}

/** How a server may use its cache, in Cube's terms. */
export const cacheModes = ['stale-if-slow', 'stale-while-revalidate', 'must-revalidate', 'no-cache'] as const;

export type OrderPair = readonly [member: string, direction: OrderDirection];

/**
 * A query as plain data: exactly the `query` of the load body, as defined by the platform's
 * `product_analytics/request/load` and Cube's query format.
 */
export interface Query {
  /** Full names of measures: `['TrackedEvents.count']`. */
  readonly measures?: readonly string[] | undefined;
  /**
   * Measures computed from others, by full name: `{'Shop.perUser': 'Shop.sales / Shop.users'}`. Those that are not
   * among the measures follow them. A sluice extension: servers get a query for the measures in the formulas.
   */
  readonly formulas?: Readonly<Record<string, string>> | undefined;
  /** Full names of dimensions to group by: `['TrackedEvents.docPath']`. */
  readonly dimensions?: readonly string[] | undefined;
  /** Ranges of time, and time buckets to group by. */
  readonly timeDimensions?: readonly TimeDimension[] | undefined;
  /**
   * The groups whose columns come first in results, in this order: `['TrackedEvents.utcTime.day']`. Other dimensions
   * follow, then buckets of time, then measures. A sluice extension: replies of `load` have no order of columns.
   */
  readonly columns?: readonly string[] | undefined;
  /** Full names of segments: named conditions of the model. All must hold. */
  readonly segments?: readonly string[] | undefined;
  /** Conditions. All must hold; `{or: […]}` joins several by or. */
  readonly filters?: readonly Filter[] | undefined;
  /** Most important first; an object uses the order of its keys. An empty list means no order. */
  readonly order?: readonly OrderPair[] | Readonly<Record<string, OrderDirection>> | undefined;
  /** The maximum number of rows. */
  readonly limit?: number | undefined;
  /**
   * Adds a row to each bucket for all groups beyond the limit, computed over all of their rows. The limit then counts
   * groups over the whole range. A sluice extension.
   */
  readonly other?: boolean | undefined;
  /** How many rows to skip. Defaults to 0. */
  readonly offset?: number | undefined;
  /** IANA name of the time zone of days and buckets. Defaults to the configured one. */
  readonly timezone?: string | undefined;
  /** Also count all rows, ignoring the limit. */
  readonly total?: boolean | undefined;
  /** Returns the rows of the source without grouping. */
  readonly ungrouped?: boolean | undefined;
  /** The format of rows in the response of `load`. It has no effect elsewhere. */
  readonly responseFormat?: 'default' | 'compact' | 'columnar' | undefined;
  /** How a Cube server may use its cache. Local engines ignore it. */
  readonly cacheMode?: (typeof cacheModes)[number] | undefined;
}

/**
 * A query in its canonical form (`toCanonicalQuery`): keys in a fixed order, no empty parts, order as pairs, filter
 * values as strings or null, `Cube.dimension.granularity` among the time dimensions. Queries of the same meaning are
 * equal as JSON text.
 */
export interface CanonicalQuery extends Query {
  /** As in `Query`, with values as strings or null. */
  readonly filters?: readonly CanonicalFilter[] | undefined;
  /** As in `Query`, always as pairs. */
  readonly order?: readonly OrderPair[] | undefined;
}

export type CanonicalFilter =
  | CanonicalMemberFilter
  | { readonly and: readonly CanonicalFilter[] }
  | { readonly or: readonly CanonicalFilter[] };

export interface CanonicalMemberFilter extends MemberFilter {
  readonly values?: readonly (string | null)[] | undefined;
}

/** Whether an operator compares with values. `set`, `notSet` and `measureFilter` do not. */
export function needsValues(operator: string): boolean {
  return !(presenceOperators as readonly string[]).includes(operator);
}

/** Whether plain data is a query itself, and not an object with a `query`. */
export function isBareQuery(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Object.hasOwn(value, 'query')) return false;
  return ['measures', 'formulas', 'dimensions', 'timeDimensions'].some((key) => Object.hasOwn(value, key));
}

/** A query needs a measure, a dimension, or a time dimension with a granularity. */
export function asksForSomething(query: Query): boolean {
  return Boolean(
    query.measures?.length ||
      Object.keys(query.formulas ?? {}).length > 0 ||
      query.dimensions?.length ||
      query.timeDimensions?.some((time) => time.granularity !== undefined),
  );
}
