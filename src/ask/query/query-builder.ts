import type { Granularity } from '../time/granularity.ts';
import type {
  AnyModel, Condition, DimensionName, LooseRow, MeasureName, MemberName, ModelTypes, OperatorFor, OrderName, TimeName, ValuesFor,
} from './model-types.ts';
import type { DateRangeText, OrderDirection, Query } from './query.ts';

declare const rowType: unique symbol;

/**
 * Builds a query step by step. Immutable: each step gives a new, frozen builder. Nothing is checked at run time;
 * binding reports what does not fit.
 * `Row` is the type of the rows of the answer, see `RowOf`.
 */
export interface QueryBuilder<Model extends ModelTypes = AnyModel, Row = unknown> {
  /** Never set: carries the type of the rows. */
  readonly [rowType]?: Row;

  readonly measures: <Name extends MeasureName<Model>>(...names: readonly Name[]) => QueryBuilder<Model, Row & MeasureRow<Model, Name>>;
  readonly dimensions: <Name extends DimensionName<Model>>(...names: readonly Name[]) => QueryBuilder<Model, Row & DimensionRow<Model, Name>>;
  /** The same as `dimensions`. */
  readonly by: <Name extends DimensionName<Model>>(...names: readonly Name[]) => QueryBuilder<Model, Row & DimensionRow<Model, Name>>;

  /** Groups by buckets of time; without a granularity only the range counts. */
  readonly time: <Name extends TimeName<Model>, Size extends Granularity | undefined = undefined>(
    member: Name, granularity?: Size, range?: DateRangeText,
  ) => QueryBuilder<Model, Row & TimeRow<Model, Name, Size>>;

  /** Range of the last time given; where there is none, of the cube's usual time (`TrackedEvents.utcTime`, …). */
  readonly range: (range: DateRangeText) => QueryBuilder<Model, Row>;
  /** Several ranges beside each other, in place of one. */
  readonly compare: (...ranges: readonly DateRangeText[]) => QueryBuilder<Model, Row & { readonly compareDateRange: string }>;

  readonly segments: (...names: readonly Model['segments'][]) => QueryBuilder<Model, Row>;
  readonly where: <Name extends MemberName<Model>, Operator extends OperatorFor<Model, Name>>(
    member: Name, operator: Operator, ...values: ValuesFor<Operator>
  ) => QueryBuilder<Model, Row>;
  /** At least one of the conditions holds. */
  readonly whereAny: (conditions: readonly Condition<Model>[]) => QueryBuilder<Model, Row>;
  /** All of the conditions hold. */
  readonly whereAll: (conditions: readonly Condition<Model>[]) => QueryBuilder<Model, Row>;

  /** The first one given counts most. Ascending where not said. */
  readonly order: (member: OrderName<Model>, direction?: OrderDirection) => QueryBuilder<Model, Row>;
  readonly limit: (rows: number) => QueryBuilder<Model, Row>;
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
export interface RowsOf<Row> {
  readonly [rowType]?: Row;
  readonly toQuery: () => Query;
}

/** The type of the rows that a builder (or a query) answers with. Loose where no model was given. */
export type RowOf<Asked> = Asked extends QueryBuilder<infer Model, infer Row>
  ? string extends MeasureName<Model> ? LooseRow : Flat<Row>
  : LooseRow;

type MeasureRow<Model extends ModelTypes, Name extends MeasureName<Model>> = {
  readonly [Key in Name]: Model['measures'][Key] | null;
};

type DimensionRow<Model extends ModelTypes, Name extends DimensionName<Model>> = {
  readonly [Key in Name]: Model['dimensions'][Key] | null;
};

type TimeRow<Model extends ModelTypes, Name extends TimeName<Model>, Size> = Size extends Granularity
  ? { readonly [Key in Name as `${Key}.${Size}`]: Model['times'][Key] }
  : unknown;

type Flat<Row> = { readonly [Key in keyof Row]: Row[Key] };
