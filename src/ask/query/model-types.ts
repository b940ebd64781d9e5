import type { Granularity } from '../time/granularity.ts';
import type { BuiltInModel } from './built-in-types.ts';
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
  /** The type of the values of each measure. */
  readonly measures: object;
  /** The type of the values of each dimension. */
  readonly dimensions: object;
  /** The type of the values of each time dimension, as text. */
  readonly times: object;
  /** The names of the segments, as a union. */
  readonly segments: string;
  /** By the name of a time: its granularities besides the standard ones. */
  readonly granularities?: object;
}

/** No model: any name is allowed, and rows are loose. */
export interface AnyModel {
  /** Any measure. */
  readonly measures: Readonly<Record<string, RowValue>>;
  /** Any dimension. */
  readonly dimensions: Readonly<Record<string, RowValue>>;
  /** Any time dimension. */
  readonly times: Readonly<Record<string, string>>;
  /** Any segment. */
  readonly segments: string;
}

/**
 * The default model: names of the built-in cubes are completed and their values typed. Any other name is allowed:
 * properties, cubes of the workspace, funnels.
 */
export interface UsualModel {
  /** Measures of the built-in cubes, and any other. */
  readonly measures: BuiltInModel['measures'] & AnyModel['measures'];
  /** Dimensions of the built-in cubes, and any other. */
  readonly dimensions: BuiltInModel['dimensions'] & AnyModel['dimensions'];
  /** Time dimensions of the built-in cubes, and any other. */
  readonly times: BuiltInModel['times'] & AnyModel['times'];
  /** Segments of the built-in cubes, and any other. */
  readonly segments: BuiltInModel['segments'] | (string & {});
}

/** A value of a row. Numbers are `number` if exact, or else `bigint` or decimal text. Missing values are null. */
export type RowValue = string | number | bigint | boolean | null;

/** A row without a model: values by column key. */
export type LooseRow = Readonly<Record<string, RowValue>>;

export type MeasureName<Model extends ModelTypes> = NameOf<Model['measures']>;
export type DimensionName<Model extends ModelTypes> = NameOf<Model['dimensions']>;
export type TimeName<Model extends ModelTypes> = NameOf<Model['times']>;

/** Keeps known names apart from other text, so that editors complete them. */
type NameOf<Members> = string extends keyof Members
  ? (keyof { [Name in keyof Members as string extends Name ? never : Name]: true } & string) | (string & {})
  : keyof Members & string;
export type MemberName<Model extends ModelTypes> = MeasureName<Model> | DimensionName<Model> | TimeName<Model>;

/** Names as written in a query: full ones, and short ones without their cube. */
export type Written<Name extends string> = Name | ShortOf<Name>;

/** A property of events. Models do not list them. */
type Property = `props.${string}` | `${string}.props.${string}`;

/** A figure of any dimension or property: `TrackedEvents.sum(props.amount)`. */
type Figure = `${Aggregate}(${string})` | `${string}.${Aggregate}(${string})`;
type Aggregate = 'sum' | 'avg' | 'min' | 'max' | 'median' | 'distinct' | `p${number}`;

/** A measure as written in a query. */
export type WrittenMeasure<Model extends ModelTypes> = Written<MeasureName<Model>> | Figure;

/** What a query can group by, as written: a dimension, a property, or a time with a granularity. */
export type WrittenDimension<Model extends ModelTypes> =
  | Written<DimensionName<Model>>
  | Property
  | Written<BucketKey<Model, TimeName<Model>>>
  | Granularity;

/** A member as written in a condition. */
export type WrittenMember<Model extends ModelTypes> = Written<MemberName<Model>> | Property | Figure;

type ShortOf<Name extends string> = Name extends `${string}.${infer Short}` ? Short : never;

type IsShort<Name extends string> = Name extends `props.${string}` | `cohorts.${string}`
  ? true
  : Name extends `${infer Before}(${string}`
    ? IsShort<Before>
    : Name extends `${string}.${string}`
      ? false
      : true;

/** The key of a name in rows. The cube of a short name depends on the model: `${string}.count`. */
export type RowKey<Name extends string> = string extends Name
  ? Name
  : IsShort<Name> extends true
    ? `${string}.${Name}`
    : Name;

/** The type of a member's values; for a short name, of all members with that name. */
export type ValueOf<Members, Name extends string> =
  IsShort<Name> extends true
    ? string extends Name
      ? Members[keyof Members]
      : ValueOrAny<
          { [Key in keyof Members as Key extends `${string}.${Name}` ? Key : never]: Members[Key] } extends infer Same
            ? Same[keyof Same]
            : never
        >
    : Name extends keyof Members
      ? Members[Name]
      : RowValue;

type ValueOrAny<Value> = [Value] extends [never] ? RowValue : Value;

/** The granularities of a time. */
export type TimeSize<Model extends ModelTypes, Name extends string> =
  | Granularity
  | (string extends TimeName<Model>
      ? string & {}
      : Model extends { readonly granularities: infer Own }
        ? Name extends keyof Own
          ? Own[Name] & string
          : IsShort<Name> extends true
            ? Own[keyof Own] & string
            : never
        : never);

type BucketKey<Model extends ModelTypes, Name extends string> = Name extends string
  ? `${Name}.${TimeSize<Model, Name>}`
  : never;

/** The keys of times in rows: members, with and without granularity. */
export type TimeKey<Model extends ModelTypes> = TimeName<Model> | BucketKey<Model, TimeName<Model>>;

/** Names for ordering: members, and times with a granularity. */
export type OrderName<Model extends ModelTypes> =
  | WrittenMember<Model>
  | Written<BucketKey<Model, TimeName<Model>>>
  | Granularity;

type ValueOperator = (typeof valueOperators)[number];
type DateOperator = (typeof dateOperators)[number];
type PresenceOperator = (typeof presenceOperators)[number];
type TextOperator = Extract<ValueOperator, `${string}ontains` | `${string}With`>;

/** The operators that fit a member: date operators for times, no text operators for measures. */
export type OperatorFor<Model extends ModelTypes, Name extends string> =
  string extends MemberName<Model>
    ? FilterOperator
    : IsShort<Name> extends true
      ? FilterOperator
      : Name extends TimeName<Model>
        ? DateOperator | 'set' | 'notSet'
        : Name extends MeasureName<Model>
          ? Exclude<ValueOperator, TextOperator> | PresenceOperator
          : ValueOperator | 'set' | 'notSet';

/** The values that an operator takes: none, one phrase or two ends of a range, one date, or one or more values. */
export type ValuesFor<Operator extends FilterOperator> = Operator extends PresenceOperator
  ? readonly []
  : Operator extends 'inDateRange' | 'notInDateRange'
    ? readonly [string] | readonly [string, string]
    : Operator extends DateOperator
      ? readonly [string]
      : readonly [FilterValue, ...FilterValue[]];

/** A condition as `where` takes it, such as `['Orders.city', 'equals', 'Bonn']`, or several joined ones. */
export type Condition<Model extends ModelTypes> =
  | ConditionOf<Model, WrittenMember<Model>>
  | { readonly and: readonly Condition<Model>[] }
  | { readonly or: readonly Condition<Model>[] };

type ConditionOf<Model extends ModelTypes, Name extends string> = Name extends string
  ? ConditionWith<Name, OperatorFor<Model, Name>>
  : never;

type ConditionWith<Name extends string, Operator extends FilterOperator> = Operator extends FilterOperator
  ? readonly [member: Name, operator: Operator, ...values: ValuesFor<Operator>]
  : never;
