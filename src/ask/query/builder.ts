import { checkObject, isPlainObject } from '../document/check-argument.ts';
import { tooDeepPath } from '../document/depth.ts';
import { fewestColumns, groupKeys } from './canonical-query.ts';
import { isRelativeRange } from './earlier-range.ts';
import { cubeOf, hasUsualTime, isShortName, usualTime, usualTimeMember } from './member-name.ts';
import type {
  AnyModel,
  Condition,
  LooseRow,
  MeasureName,
  ModelTypes,
  OperatorFor,
  OrderName,
  RowKey,
  RowValue,
  TimeName,
  TimeSize,
  UsualModel,
  ValueOf,
  ValuesFor,
  Written,
  WrittenDimension,
  WrittenMeasure,
  WrittenMember,
} from './model-types.ts';
import type {
  DateRangeText,
  Filter,
  FilterOperator,
  FilterValue,
  OrderDirection,
  OrderPair,
  Query,
  TimeDimension,
} from './query.ts';
import type { SavedQuery } from './saved-query.ts';

declare const rowType: unique symbol;

/**
 * Builds a query step by step. Immutable: each step returns a new, frozen builder. Steps check nothing at run time and
 * never throw; running the query reports mistakes. `Row` is the type of the result's rows, see `RowOf`.
 */
export interface QueryBuilder<Model extends ModelTypes = AnyModel, Row = unknown> {
  /** Never set: carries the type of the rows. */
  readonly [rowType]?: Row;

  /**
   * Adds measures: `measures('TrackedEvents.count')`. Names may be short, here and in every other step: `count` is
   * resolved as in a line when the query runs, and its column is `row['TrackedEvents.count']`. Columns of events have
   * their own names: `sum(Order value)` is `row['TrackedEvents.sum(props.Order%20value)']`.
   */
  readonly measures: <Name extends WrittenMeasure<Model>>(
    ...names: readonly Name[]
  ) => QueryBuilder<Model, Row & MeasureRow<Model, Name>>;
  /**
   * Adds a measure that is computed from others, by its full name:
   * `formula('Shop.perUser', 'Shop.sales / Shop.users rolling 28 days')`.
   */
  readonly formula: <Name extends string>(
    name: Name,
    formula: string,
  ) => QueryBuilder<Model & { readonly measures: { readonly [Key in Name]: RowValue } }, Row & FormulaRow<Name>>;
  /** Groups by dimensions: `dimensions('TrackedEvents.docPath')`, `by('docPath', 'day')`. */
  readonly dimensions: <Name extends WrittenDimension<Model>>(
    ...names: readonly Name[]
  ) => QueryBuilder<Model, Row & DimensionRow<Model, Name>>;
  /** The same as `dimensions`. */
  readonly by: <Name extends WrittenDimension<Model>>(
    ...names: readonly Name[]
  ) => QueryBuilder<Model, Row & DimensionRow<Model, Name>>;

  /** Groups by time buckets. Without a granularity, only the range applies. */
  readonly time: <Name extends Written<TimeName<Model>>, Size extends TimeSize<Model, Name> | undefined = undefined>(
    member: Name,
    granularity?: Size,
    range?: DateRangeText,
  ) => QueryBuilder<Model, Row & TimeRow<Model, Name, Size>>;

  /** Sets the range of the last `time`, or of the cube's default time (`TrackedEvents.utcTime`, …) without one. */
  readonly range: (range: DateRangeText) => QueryBuilder<Model, Row>;
  /**
   * Compares several ranges: `compare('this week', 'last week')`. A single one is compared with the range of the query:
   * `range('last week').compare('previous')`. Without a range, it is compared with the period before it.
   */
  readonly compare: (
    ...ranges: readonly DateRangeText[]
  ) => QueryBuilder<Model, Row & { readonly compareDateRange: string }>;

  /** Adds segments: named conditions of the model. All must hold. */
  readonly segments: (...names: readonly Written<Model['segments']>[]) => QueryBuilder<Model, Row>;
  /**
   * Adds a condition on a dimension or measure: `where('TrackedEvents.docPath', 'startsWith', '/docs', '/blog')`. One
   * of several values must match. All conditions of a query must hold. Operators: see `FilterOperator`.
   */
  readonly where: <Name extends WrittenMember<Model>, Operator extends OperatorFor<Model, Name>>(
    member: Name,
    operator: Operator,
    ...values: ValuesFor<Operator>
  ) => QueryBuilder<Model, Row>;
  /** Requires at least one of the conditions. Running the query refuses an empty list, here and in `whereAll`. */
  readonly whereAny: (conditions: readonly Condition<Model>[]) => QueryBuilder<Model, Row>;
  /** Requires all of the conditions. */
  readonly whereAll: (conditions: readonly Condition<Model>[]) => QueryBuilder<Model, Row>;

  /** Orders by a member, ascending by default. Earlier calls take precedence. */
  readonly order: (member: OrderName<Model>, direction?: OrderDirection) => QueryBuilder<Model, Row>;
  /** Returns at most this many rows. */
  readonly limit: (rows: number) => QueryBuilder<Model, Row>;
  /** Adds a row for all groups beyond the limit. */
  readonly withOther: () => QueryBuilder<Model, Row>;
  /** Skips this many rows. */
  readonly offset: (rows: number) => QueryBuilder<Model, Row>;
  /** IANA name of the time zone of days and buckets. */
  readonly zone: (name: string) => QueryBuilder<Model, Row>;
  /** Also counts all rows, ignoring the limit. */
  readonly total: () => QueryBuilder<Model, Row>;
  /** Returns the rows of the source without grouping. */
  readonly ungrouped: () => QueryBuilder<Model, Row>;

  /** The query as plain data. */
  readonly toQuery: () => Query;
  /** The query with the title, fill and chart of the saved query that it came from. */
  readonly toSavedQuery: () => SavedQuery;
  /** The query, for `JSON.stringify`. */
  readonly toJSON: () => Query;
}

/** A query or a query builder. */
export type Queryable<Row = unknown> = Query | RowsOf<Row>;

/** The part of a builder that decides its rows. */
interface RowsOf<Row> {
  readonly [rowType]?: Row;
  readonly toQuery: () => Query;
}

/** The type of the rows of a builder or a query. Names outside the model are loose. */
export type RowOf<Asked> =
  Asked extends QueryBuilder<infer Model, infer Row>
    ? string extends MeasureName<Model>
      ? Flat<Row> & LooseRow
      : Flat<Row>
    : LooseRow;

type MeasureRow<Model extends ModelTypes, Name extends string> = {
  readonly [Key in Name as RowKey<Key>]: ValueOf<Model['measures'], Key> | null;
};

/** Numbers: decimals may be text, and large whole numbers bigint. */
type FormulaRow<Name extends string> = { readonly [Key in Name as RowKey<Key>]: number | bigint | string | null };

type DimensionRow<Model extends ModelTypes, Name extends string> = {
  readonly [Key in Name as RowKey<Key>]: ValueOf<Model['dimensions'], Key> | null;
};

type TimeRow<Model extends ModelTypes, Name extends string, Size> = Size extends string
  ? { readonly [Key in Name as `${RowKey<Key>}.${Size}`]: ValueOf<Model['times'], Key> }
  : unknown;

type Flat<Row> = { readonly [Key in keyof Row]: Row[Key] };

/**
 * Starts a query:
 *
 * ```ts
 * query<Shop>().measures('Orders.count').by('Orders.city').time('Orders.paidAt', 'day').range('last 30 days')
 * ```
 *
 * The model type completes names and types rows; `sluice model -f ts` writes it. Without one, the names of the built-in
 * cubes are completed and typed, and any other name is allowed. Never throws.
 */
export function query<Model extends ModelTypes = UsualModel>(): QueryBuilder<Model> {
  // One loose builder serves all models: the model exists only as a type.
  return toBuilder({ query: {}, range: undefined, about: {} }) as unknown as QueryBuilder<Model>;
}

/**
 * Continues from a query, a builder or a saved query: `queryFrom(saved).range('last 7 days').limit(3)`. Throws
 * `InvalidInputError` if it is no object.
 */
export function queryFrom(from: SavedQuery | Queryable): QueryBuilder {
  checkObject('queryFrom', 'The query', from);
  const { query: asked, ...about } = 'query' in from ? from : { query: from };
  checkObject('queryFrom', 'The query', asked);
  const { order, ...rest } = toQuery(asked);
  const pairs = order === undefined ? {} : { order: toPairs(order) };
  return toBuilder({ query: { ...rest, ...pairs }, range: undefined, about }) as unknown as QueryBuilder;
}

function toPairs(order: NonNullable<Query['order']>): readonly OrderPair[] {
  return Array.isArray(order) ? order : (Object.entries(order) as OrderPair[]);
}

/** The plain query of a query or builder. Throws `InvalidInputError` if it is no object. */
export function toQuery(asked: Queryable): Query {
  checkObject('toQuery', 'The query', asked);
  return 'toQuery' in asked && typeof asked.toQuery === 'function' ? asked.toQuery() : (asked as Query);
}

interface Draft {
  readonly query: Query & { readonly order?: readonly OrderPair[] | undefined };
  /** A range that was given before its time dimension. */
  readonly range: Pick<TimeDimension, 'dateRange' | 'compareDateRange'> | undefined;
  /** The other parts of a saved query. */
  readonly about: Omit<SavedQuery, 'query'>;
}

type LooseCondition =
  | readonly [member: string, operator: FilterOperator, ...values: FilterValue[]]
  | { readonly and: readonly LooseCondition[] }
  | { readonly or: readonly LooseCondition[] };

function toBuilder(draft: Draft) {
  const { query } = draft;
  const having = (more: Partial<Draft['query']>) => toBuilder({ ...draft, query: { ...query, ...more } });
  const filtered = (filter: Filter) => having({ filters: [...(query.filters ?? []), filter] });
  const dimensions = (...names: readonly string[]) => {
    const more = { ...query, dimensions: [...(query.dimensions ?? []), ...names] };
    // Buckets from earlier steps come before the new dimensions.
    const columns = fewestColumns([...(query.columns ?? []), ...groupKeys(query), ...names], more);
    return having(columns.length > 0 ? { ...more, columns } : more);
  };
  const finish = () => frozenCopy(withPendingRange(draft));
  return Object.freeze({
    measures: (...names: readonly string[]) => having({ measures: [...(query.measures ?? []), ...names] }),
    formula: (name: string, formula: string) =>
      having({
        measures: [...(query.measures ?? []), name],
        // A name of another type cannot be a key; reading the query reports it among the measures.
        ...(typeof name === 'string' && { formulas: { ...query.formulas, [name]: formula } }),
      }),
    dimensions,
    by: dimensions,
    time: (dimension: string, granularity?: TimeDimension['granularity'], dateRange?: DateRangeText) => {
      const range = dateRange === undefined ? draft.range : { dateRange };
      const time = { dimension, ...(granularity !== undefined && { granularity }), ...range };
      return toBuilder({
        ...draft,
        query: { ...query, timeDimensions: [...(query.timeDimensions ?? []), time] },
        range: undefined,
      });
    },
    range: (dateRange: DateRangeText) => toBuilder(ranged(draft, toRange(draft, given(dateRange)))),
    compare: (...ranges: readonly DateRangeText[]) => toBuilder(ranged(draft, toCompared(draft, ranges))),
    segments: (...names: readonly string[]) => having({ segments: [...(query.segments ?? []), ...names] }),
    where: (member: string, operator: FilterOperator, ...values: readonly FilterValue[]) =>
      filtered(toFilter([member, operator, ...values])),
    whereAny: (conditions: readonly LooseCondition[]) => filtered({ or: toFilters(conditions) }),
    whereAll: (conditions: readonly LooseCondition[]) => filtered({ and: toFilters(conditions) }),
    order: (member: string, direction: OrderDirection = 'asc') =>
      having({ order: [...(query.order ?? []), [member, direction]] }),
    limit: (limit: number) => having({ limit: given(limit) }),
    withOther: () => having({ other: true }),
    offset: (offset: number) => having({ offset: given(offset) }),
    zone: (timezone: string) => having({ timezone: given(timezone) }),
    total: () => having({ total: true }),
    ungrouped: () => having({ ungrouped: true }),
    toQuery: finish,
    toSavedQuery: () => ({ ...draft.about, query: finish() }),
    toJSON: finish,
  });
}

function ranged(draft: Draft, range: NonNullable<Draft['range']>): Draft {
  const times = draft.query.timeDimensions ?? [];
  const last = times.at(-1);
  if (!last) return { ...draft, range };
  const { dimension, granularity } = last;
  return {
    ...draft,
    query: {
      ...draft.query,
      timeDimensions: [
        ...times.slice(0, -1),
        { dimension, ...(granularity !== undefined && { granularity }), ...range },
      ],
    },
  };
}

/** A single range is compared with that of the query, else with the period before it, as in a line. */
function toCompared(draft: Draft, ranges: readonly DateRangeText[]): NonNullable<Draft['range']> {
  const [only, ...others] = ranges;
  if (only === undefined || others.length > 0) return { compareDateRange: ranges };
  const { dateRange } = rangeOf(draft);
  if (dateRange !== undefined) return { compareDateRange: [dateRange, only] };
  return { compareDateRange: isRelative(only) ? ranges : [only, 'previous'] };
}

/** A range replaces those to compare, unless they wait for one: `compare('previous').range('last week')`. */
function toRange(draft: Draft, dateRange: DateRangeText): NonNullable<Draft['range']> {
  const { compareDateRange = [] } = rangeOf(draft);
  const waits = compareDateRange.length === 1 && isRelative(compareDateRange[0]);
  return waits ? { compareDateRange: [dateRange, ...compareDateRange] } : { dateRange };
}

function rangeOf({ query, range }: Draft): NonNullable<Draft['range']> {
  return query.timeDimensions?.at(-1) ?? range ?? {};
}

function isRelative(range: unknown): boolean {
  return typeof range === 'string' && isRelativeRange(range);
}

function withPendingRange({ query, range }: Draft): Query {
  if (!range) return query;
  const measure = query.measures?.[0];
  const first = measure ?? query.dimensions?.[0] ?? '';
  // Names of columns, such as `props.Plan (x)`, are short, and only the model tells a cube from a field:
  // `customer.tier`.
  const isFull = measure === undefined ? hasUsualTime(first) : /^(?!props\.)\w+\./.test(first) && !isShortName(first);
  const dimension = isFull ? usualTimeMember(cubeOf(first)) : usualTime;
  return { ...query, timeDimensions: [{ dimension, ...range }] };
}

/** Keeps undefined as null, so that reading the query reports it and does not skip the step. */
function given<T>(value: T): T {
  return value === undefined ? (null as T) : value;
}

/**
 * Converts a list of conditions. Other values stay, and reading the query reports them. An empty list, which would
 * match every row, becomes null, because plain queries may have one, as in Cube.
 */
function toFilters(conditions: readonly LooseCondition[]): readonly Filter[] {
  if (Array.isArray(conditions) && conditions.length === 0) return null as never;
  return Array.isArray(conditions) && !tooDeepPath(conditions) ? conditions.map(toFilter) : (conditions as never);
}

function toFilter(condition: LooseCondition): Filter {
  if (isList(condition)) {
    const [member, operator, ...values] = condition;
    return values.length === 0 ? { member, operator } : { member, operator, values };
  }
  if (!isPlainObject(condition)) return condition;
  if ('and' in condition) return { and: toFilters(condition.and) };
  return 'or' in condition ? { or: toFilters(condition.or) } : condition;
}

function isList(condition: LooseCondition): condition is Extract<LooseCondition, readonly unknown[]> {
  return Array.isArray(condition);
}

/** Copies lists and mappings. Other values stay, and reading the query reports them. */
function frozenCopy<T>(value: T): T {
  return tooDeepPath(value) ? value : (copyOf(value) as T);
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf));
  if (!isPlainObject(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyOf(part)])));
}
