import type { Granularity } from '../time/granularity.ts';
import { cubeOf } from './member-name.ts';
import type {
  AnyModel,
  Condition,
  DimensionName,
  LooseRow,
  MeasureName,
  MemberName,
  ModelTypes,
  OperatorFor,
  OrderName,
  RowValue,
  TimeName,
  ValuesFor,
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
import { usualTimeMember } from './time-member.ts';

declare const rowType: unique symbol;

/**
 * Builds a query step by step. Immutable: each step gives a new, frozen builder. Nothing is checked at run time;
 * binding reports what does not fit.
 * `Row` is the type of the rows of the answer, see `RowOf`.
 */
export interface QueryBuilder<Model extends ModelTypes = AnyModel, Row = unknown> {
  /** Never set: carries the type of the rows. */
  readonly [rowType]?: Row;

  readonly measures: <Name extends MeasureName<Model>>(
    ...names: readonly Name[]
  ) => QueryBuilder<Model, Row & MeasureRow<Model, Name>>;
  /**
   * A measure that the query makes of others, by its full name:
   * `formula('Shop.perUser', 'Shop.sales / Shop.users rolling 28 days')`.
   */
  readonly formula: <Name extends string>(
    name: Name,
    formula: string,
  ) => QueryBuilder<Model & { readonly measures: { readonly [Key in Name]: RowValue } }, Row & FormulaRow<Name>>;
  readonly dimensions: <Name extends DimensionName<Model>>(
    ...names: readonly Name[]
  ) => QueryBuilder<Model, Row & DimensionRow<Model, Name>>;
  /** The same as `dimensions`. */
  readonly by: <Name extends DimensionName<Model>>(
    ...names: readonly Name[]
  ) => QueryBuilder<Model, Row & DimensionRow<Model, Name>>;

  /** Groups by buckets of time; without a granularity only the range counts. */
  readonly time: <Name extends TimeName<Model>, Size extends Granularity | undefined = undefined>(
    member: Name,
    granularity?: Size,
    range?: DateRangeText,
  ) => QueryBuilder<Model, Row & TimeRow<Model, Name, Size>>;

  /** Range of the last time given; where there is none, of the cube's usual time (`TrackedEvents.utcTime`, …). */
  readonly range: (range: DateRangeText) => QueryBuilder<Model, Row>;
  /** Several ranges beside each other, in place of one. */
  readonly compare: (
    ...ranges: readonly DateRangeText[]
  ) => QueryBuilder<Model, Row & { readonly compareDateRange: string }>;

  readonly segments: (...names: readonly Model['segments'][]) => QueryBuilder<Model, Row>;
  readonly where: <Name extends MemberName<Model>, Operator extends OperatorFor<Model, Name>>(
    member: Name,
    operator: Operator,
    ...values: ValuesFor<Operator>
  ) => QueryBuilder<Model, Row>;
  /** At least one of the conditions holds. */
  readonly whereAny: (conditions: readonly Condition<Model>[]) => QueryBuilder<Model, Row>;
  /** All of the conditions hold. */
  readonly whereAll: (conditions: readonly Condition<Model>[]) => QueryBuilder<Model, Row>;

  /** The first one given counts most. Ascending where not said. */
  readonly order: (member: OrderName<Model>, direction?: OrderDirection) => QueryBuilder<Model, Row>;
  readonly limit: (rows: number) => QueryBuilder<Model, Row>;
  /** One more row stands for all groups beyond the limit. */
  readonly withOther: () => QueryBuilder<Model, Row>;
  readonly offset: (rows: number) => QueryBuilder<Model, Row>;
  /** IANA name of the time zone of days and buckets. */
  readonly zone: (name: string) => QueryBuilder<Model, Row>;
  /** Also count all rows, as if there were no limit. */
  readonly total: () => QueryBuilder<Model, Row>;
  readonly ungrouped: () => QueryBuilder<Model, Row>;

  readonly toQuery: () => Query;
  /** The query, for `JSON.stringify`. */
  readonly toJSON: () => Query;
}

/** A query, or a builder of one: what every function that asks takes. */
export type Queryable<Row = unknown> = Query | RowsOf<Row>;

/** What of a builder is left when only its rows matter. */
interface RowsOf<Row> {
  readonly [rowType]?: Row;
  readonly toQuery: () => Query;
}

/** The type of the rows that a builder (or a query) answers with. Loose where no model was given. */
export type RowOf<Asked> =
  Asked extends QueryBuilder<infer Model, infer Row>
    ? string extends MeasureName<Model>
      ? LooseRow
      : Flat<Row>
    : LooseRow;

type MeasureRow<Model extends ModelTypes, Name extends MeasureName<Model>> = {
  readonly [Key in Name]: Model['measures'][Key] | null;
};

/** Numbers; decimals and large whole numbers as text and bigint. */
type FormulaRow<Name extends string> = { readonly [Key in Name]: number | bigint | string | null };

type DimensionRow<Model extends ModelTypes, Name extends DimensionName<Model>> = {
  readonly [Key in Name]: Model['dimensions'][Key] | null;
};

type TimeRow<Model extends ModelTypes, Name extends TimeName<Model>, Size> = Size extends Granularity
  ? { readonly [Key in Name as `${Key}.${Size}`]: Model['times'][Key] }
  : unknown;

type Flat<Row> = { readonly [Key in keyof Row]: Row[Key] };

/**
 * Starts a query:
 *
 * ```ts
 * query<Shop>().measures('Orders.count').by('Orders.city').time('Orders.paidAt', 'day').range('last 30 days')
 * ```
 *
 * With a model type, names are completed and rows are typed; without one every name is taken.
 */
export function query<Model extends ModelTypes = AnyModel>(): QueryBuilder<Model> {
  // One loose builder serves all models: the model exists only as a type.
  return toBuilder({ query: {}, range: undefined }) as unknown as QueryBuilder<Model>;
}

/** The plain query of a query or builder. */
export function toQuery(asked: Queryable): Query {
  return 'toQuery' in asked && typeof asked.toQuery === 'function' ? asked.toQuery() : (asked as Query);
}

interface Draft {
  readonly query: Query & { readonly order?: readonly OrderPair[] | undefined };
  /** A range that came before its time dimension. */
  readonly range: Pick<TimeDimension, 'dateRange' | 'compareDateRange'> | undefined;
}

type LooseCondition =
  | readonly [member: string, operator: FilterOperator, ...values: FilterValue[]]
  | { readonly and: readonly LooseCondition[] }
  | { readonly or: readonly LooseCondition[] };

function toBuilder(draft: Draft) {
  const { query } = draft;
  const having = (more: Partial<Draft['query']>) => toBuilder({ ...draft, query: { ...query, ...more } });
  const filtered = (filter: Filter) => having({ filters: [...(query.filters ?? []), filter] });
  const dimensions = (...names: readonly string[]) => having({ dimensions: [...(query.dimensions ?? []), ...names] });
  const finish = () => deepFreeze(structuredClone(withPendingRange(draft)));
  return Object.freeze({
    measures: (...names: readonly string[]) => having({ measures: [...(query.measures ?? []), ...names] }),
    formula: (name: string, formula: string) =>
      having({ measures: [...(query.measures ?? []), name], formulas: { ...query.formulas, [name]: formula } }),
    dimensions,
    by: dimensions,
    time: (dimension: string, granularity?: TimeDimension['granularity'], dateRange?: DateRangeText) => {
      const range = dateRange === undefined ? draft.range : { dateRange };
      const time = { dimension, ...(granularity && { granularity }), ...range };
      return toBuilder({
        query: { ...query, timeDimensions: [...(query.timeDimensions ?? []), time] },
        range: undefined,
      });
    },
    range: (dateRange: DateRangeText) => toBuilder(ranged(draft, { dateRange })),
    compare: (...compareDateRange: readonly DateRangeText[]) => toBuilder(ranged(draft, { compareDateRange })),
    segments: (...names: readonly string[]) => having({ segments: [...(query.segments ?? []), ...names] }),
    where: (member: string, operator: FilterOperator, ...values: readonly FilterValue[]) =>
      filtered(toFilter([member, operator, ...values])),
    whereAny: (conditions: readonly LooseCondition[]) => filtered({ or: conditions.map(toFilter) }),
    whereAll: (conditions: readonly LooseCondition[]) => filtered({ and: conditions.map(toFilter) }),
    order: (member: string, direction: OrderDirection = 'asc') =>
      having({ order: [...(query.order ?? []), [member, direction]] }),
    limit: (limit: number) => having({ limit }),
    withOther: () => having({ other: true }),
    offset: (offset: number) => having({ offset }),
    zone: (timezone: string) => having({ timezone }),
    total: () => having({ total: true }),
    ungrouped: () => having({ ungrouped: true }),
    toQuery: finish,
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
      timeDimensions: [...times.slice(0, -1), { dimension, ...(granularity && { granularity }), ...range }],
    },
  };
}

function withPendingRange({ query, range }: Draft): Query {
  if (!range) return query;
  const dimension = usualTimeMember(cubeOf([...(query.measures ?? []), ...(query.dimensions ?? [])][0] ?? ''));
  return { ...query, timeDimensions: [{ dimension, ...range }] };
}

function toFilter(condition: LooseCondition): Filter {
  if ('and' in condition) return { and: condition.and.map(toFilter) };
  if ('or' in condition) return { or: condition.or.map(toFilter) };
  const [member, operator, ...values] = condition;
  return values.length === 0 ? { member, operator } : { member, operator, values };
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
