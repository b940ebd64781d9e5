import type { Granularity } from '../time/granularity.ts';
import type { dateOperators, FilterOperator, FilterValue, presenceOperators, valueOperators } from './query.ts';

/**
 * A model at compile time: the full names of its members, and the types of their values.
 *
 * ```ts
 * interface Shop {
 *   measures: { 'Orders.count': number };
 *   dimensions: { 'Orders.city': string };
 *   times: { 'Orders.paidAt': string };
 *   segments: 'Orders.open';
 * }
 * ```
 */
export interface ModelTypes {
  readonly measures: object;
  readonly dimensions: object;
  readonly times: object;
  readonly segments: string;
  /** By the name of a time: what it can be cut into besides the standard granularities. */
  readonly granularities?: object;
}

/** No model: any name is allowed, and rows are loose. */
export interface AnyModel {
  readonly measures: Readonly<Record<string, RowValue>>;
  readonly dimensions: Readonly<Record<string, RowValue>>;
  readonly times: Readonly<Record<string, string>>;
  readonly segments: string;
}

export type RowValue = string | number | bigint | boolean | null;

export type LooseRow = Readonly<Record<string, RowValue>>;

export type MeasureName<Model extends ModelTypes> = keyof Model['measures'] & string;
export type DimensionName<Model extends ModelTypes> = keyof Model['dimensions'] & string;
export type TimeName<Model extends ModelTypes> = keyof Model['times'] & string;
export type MemberName<Model extends ModelTypes> = MeasureName<Model> | DimensionName<Model> | TimeName<Model>;

/** What a time can be cut into. */
export type TimeSize<Model extends ModelTypes, Name extends string> =
  | Granularity
  | (string extends TimeName<Model>
      ? string & {}
      : Model extends { readonly granularities: infer Own }
        ? Name extends keyof Own
          ? Own[Name] & string
          : never
        : never);

type BucketKey<Model extends ModelTypes, Name extends string> = Name extends string
  ? `${Name}.${TimeSize<Model, Name>}`
  : never;

/** The keys of times in rows: members as they are, and in their buckets. */
export type TimeKey<Model extends ModelTypes> = TimeName<Model> | BucketKey<Model, TimeName<Model>>;

/** What rows can be ordered by: members, and times in their buckets. */
export type OrderName<Model extends ModelTypes> = MemberName<Model> | BucketKey<Model, TimeName<Model>>;

type ValueOperator = (typeof valueOperators)[number];
type DateOperator = (typeof dateOperators)[number];
type PresenceOperator = (typeof presenceOperators)[number];
type TextOperator = Extract<ValueOperator, `${string}ontains` | `${string}With`>;

/** The operators that fit a member: dates for times, no text matching for measures. */
export type OperatorFor<Model extends ModelTypes, Name extends string> =
  string extends MemberName<Model>
    ? FilterOperator
    : Name extends TimeName<Model>
      ? DateOperator | 'set' | 'notSet'
      : Name extends MeasureName<Model>
        ? Exclude<ValueOperator, TextOperator> | PresenceOperator
        : ValueOperator | 'set' | 'notSet';

/** The values that an operator takes: none, one phrase or two ends of a range, one date, one or more values. */
export type ValuesFor<Operator extends FilterOperator> = Operator extends PresenceOperator
  ? readonly []
  : Operator extends 'inDateRange' | 'notInDateRange'
    ? readonly [string] | readonly [string, string]
    : Operator extends DateOperator
      ? readonly [string]
      : readonly [FilterValue, ...FilterValue[]];

/** `['Orders.city', 'equals', 'Bonn']`, as `where` takes it; or joined ones. */
export type Condition<Model extends ModelTypes> =
  | ConditionOf<Model, MemberName<Model>>
  | { readonly and: readonly Condition<Model>[] }
  | { readonly or: readonly Condition<Model>[] };

type ConditionOf<Model extends ModelTypes, Name extends string> = Name extends string
  ? ConditionWith<Name, OperatorFor<Model, Name>>
  : never;

type ConditionWith<Name extends string, Operator extends FilterOperator> = Operator extends FilterOperator
  ? readonly [member: Name, operator: Operator, ...values: ValuesFor<Operator>]
  : never;
