import type { Percentile } from '../../ask/notation/formula.ts';
import type { Touch } from '../../ask/query/touch-name.ts';
import type { BucketGrid, Granularity, WrittenGrid } from '../../ask/time/granularity.ts';

/** A semantic model: the members to query and their SQL. Plain read-only data. */
export interface Model {
  /** The cubes and views, in the order of the model. */
  readonly cubes: readonly Cube[];
  /** Cubes (`Orders`) and members (`Orders.place`) of the model's text that are not supported, with reasons. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** Mapped columns of the event files, in lower case, with the short names of the members that they fill. */
  readonly columns?: ReadonlyMap<string, string> | undefined;
  /**
   * Names of properties that the events were searched for; `props.*` if a sample was searched for all. Undefined if
   * nothing can be searched.
   */
  readonly searched?: readonly string[] | undefined;
  /** By fields of events: the values that a mapping puts in the place of those in the files. */
  readonly renames?: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined;
  /** The most frequent names of events, for hints. */
  readonly eventNames?: readonly EventName[] | undefined;
  /** The model's own cube of events, from which sessions, users, funnels and usage are computed. */
  readonly events?: EventsCube | undefined;
}

/** A value of a dimension that people call an event: `signup`. */
export interface EventName {
  readonly member: 'eventType' | 'customEventName';
  readonly name: string;
}

export interface EventsCube {
  readonly cube: string;
  /** Maps columns of the canonical events to full names of dimensions. `utc_time` is always among them. */
  readonly members: readonly { readonly column: string; readonly member: string }[];
  /** Further properties by name, with full names of dimensions, also of joined cubes. */
  readonly properties: ReadonlyMap<string, string>;
  /** Values of the event type that mean a page view. */
  readonly pageViews: readonly string[];
}

export interface LeftOut {
  readonly name: string;
  /** A sentence: `Dimensions of type "geo" are not supported.` */
  readonly reason: string;
}

export interface Cube {
  readonly name: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly source: CubeSource;
  readonly joins: readonly Join[];
  readonly measures: readonly Measure[];
  readonly dimensions: readonly Dimension[];
  readonly segments: readonly Segment[];
  /** The time dimension (short name) that a bare date range filters: `utcTime`, `startAt`. */
  readonly timeMember?: string | undefined;
  /** True if its rows are files of the workspace, whichever backend answers other questions. */
  readonly synced?: boolean | undefined;
  /** False if it can be queried but is not listed (older names of a cube). */
  readonly public: boolean;
  /** Groups of members for display. */
  readonly folders?: readonly Group[] | undefined;
  /** Dimensions from coarsest to finest. */
  readonly hierarchies?: readonly Group[] | undefined;
}

/** Whether the model says where the rows of a cube are, so that columns may have other types than its members. */
export function isOfModel({ source: { kind } }: Pick<Cube, 'source'>): boolean {
  return kind === 'table' || kind === 'sql';
}

/** Members under one heading. */
export interface Group {
  readonly name: string;
  readonly title: string;
  /** Full names. */
  readonly members: readonly string[];
}

/**
 * The cube member behind a view's member. `path`: the cubes over which the view's joins reach it, from the view's root.
 */
export interface Origin {
  readonly path: readonly string[];
  readonly member: string;
}

/** The source of a cube's rows. Each SQL dialect compiles the derived kinds in its own way. */
export type CubeSource =
  /** `path`: the parts of the name, if they are not simply separated by its dots. */
  | { readonly kind: 'table'; readonly table: string; readonly path?: readonly string[] | undefined }
  | { readonly kind: 'sql'; readonly sql: Template }
  /** The normalised events: one row per event, columns as in `eventFields`. */
  | { readonly kind: 'events' }
  /** One row per session, computed from all events. */
  | { readonly kind: 'sessions' }
  /** One row per user, computed from all sessions. */
  | { readonly kind: 'users' }
  /** One row for each value of a list in each row of the cube `of`, which joins it. `keys`: the path of the list. */
  | { readonly kind: 'list'; readonly of: string; readonly keys: readonly string[] }
  /** A view. Each of its members refers to a member of a cube. */
  | { readonly kind: 'view' }
  /** Rows that an analysis computes from events, such as a funnel. See `plan/analysis.ts`. */
  | ComputedSource;

export interface ComputedSource<Definition = unknown> {
  readonly kind: 'computed';
  /** The analysis of the cube. `analysisOf` returns it in full. */
  readonly analysis: { readonly name: string };
  /** The definition to compute, in the analysis's own format. */
  readonly definition: Definition;
  /**
   * The backend that computes it: a local engine, a server that knows or may know it, or none if the server does not.
   */
  readonly computed: 'here' | 'by-server' | 'nowhere';
  /** The cubes of events that names in the definition refer to. */
  readonly events: Model;
  /** True if the question itself contains the definition, so that issues have paths into the question. */
  readonly inline?: boolean | undefined;
}

/** The zones that the sources of events declare for times without one. */
export interface LocalZones {
  readonly zones: readonly string[];
  /** Whether the text is a value of a list, in a row beside its event. */
  readonly inList: boolean;
}

/** A model's SQL, split at its `{references}`. Text parts are trusted because the model's author wrote them. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `{CUBE}` or the cube's own name: the alias of the cube itself. */
  | { readonly kind: 'cube' }
  /** The query's filters on members inside the SQL of a cube: `FILTER_PARAMS` and `FILTER_GROUP`. */
  | { readonly kind: 'filter'; readonly uses: readonly FilterUse[] }
  /**
   * Begins a call that reads a text as an instant, NULL if it is no time. Dates are days of the query's zone, or
   * of `days`. `local`: the zones of times without one. The text and a closing bracket follow.
   */
  | { readonly kind: 'time-of-text'; readonly days?: 'UTC'; readonly local?: LocalZones | undefined }
  /** `{Users}`: the alias of another, joined cube. */
  | { readonly kind: 'joined-cube'; readonly cube: string }
  /** `{member}`, `{CUBE.member}`, `{Users.plan}`: the SQL of a measure, dimension or segment. */
  | {
      readonly kind: 'member';
      readonly cube: string;
      readonly member: string;
      /** Whether it means the instant of a time, whatever its type. */
      readonly asInstant?: boolean;
    };

/** Applies a member's filter to this SQL, or passes its values to a function. */
export interface FilterUse {
  readonly cube: string;
  readonly member: string;
  /** A column, or the body of the function with `{parameter}` in it. */
  readonly sql: string;
  readonly parameters: readonly string[] | undefined;
}

export const measureTypes = [
  'count',
  'count_distinct',
  'count_distinct_approx',
  'sum',
  'avg',
  'min',
  'max',
  'number',
  'string',
  'boolean',
  'time',
] as const;

export type MeasureType = (typeof measureTypes)[number];

export interface Measure {
  /** Only for members of views. */
  readonly of?: Origin | undefined;
  /** Short name, unique within the cube. The full name is `Cube.name`. */
  readonly name: string;
  readonly title: string;
  readonly shortTitle: string;
  /** The label for people, if it differs from the title. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly type: MeasureType;
  /** The aggregated expression; for `number`, `string`, `boolean`, `time` an expression over other measures. */
  readonly sql?: Template | undefined;
  /** Only rows that pass all filters are aggregated. */
  readonly filters: readonly Template[];
  readonly rollingWindow?: RollingWindow | undefined;
  /** Set if the measure is computed from values of groups instead of rows; `sql` then names measures. */
  readonly stage?: Stage | undefined;
  readonly format?: string | undefined;
  /** Full names. */
  readonly drillMembers: readonly string[];
  readonly public: boolean;
  /** True for sums that are 0 if no row has a value. A sum of a Cube model is then null, as Cube answers. */
  readonly emptyIsZero?: boolean | undefined;
  /** Rows that the measure cannot count, reported next to it. */
  readonly uncounted?: readonly UncountedRows[] | undefined;
  /** Why the values are not exact, if that is worth a note. */
  readonly rounded?: string | undefined;
  /** The name of texts that it reads as times, some of which have no zone. */
  readonly localTimes?: string | undefined;
  readonly sampled?: boolean | undefined;
  /** True if groups at one time never overlap. */
  readonly disjoint?: boolean | undefined;
  /** True if only local engines support it, although servers have the same cube. */
  readonly local?: boolean | undefined;
}

/** How a measure is computed from measures of groups that differ from the answer's groups. Names are full names. */
export interface Stage {
  /** Group only by these of the query's dimensions. */
  readonly groupBy?: readonly string[] | undefined;
  /** Do not group by these of the query's dimensions. */
  readonly reduceBy?: readonly string[] | undefined;
  /** Group by these dimensions as well. */
  readonly addGroupBy?: readonly string[] | undefined;
  /** Leave out the groups in which one of these dimensions is null. */
  readonly skipsNull?: boolean | undefined;
  /** The percentile of the groups' values, for a measure whose type does not aggregate. */
  readonly percentile?: Percentile | undefined;
  /** Take the measures from another time. */
  readonly shifts?: readonly TimeShift[] | undefined;
  /** The sort keys of a rank among the groups. */
  readonly rank?: readonly { readonly sql: Template; readonly descending: boolean }[] | undefined;
}

/** Moves times forward by this amount, so that the past appears beside the present; negative amounts move back. */
export interface TimeShift {
  /** undefined for the time that the query asks about. */
  readonly time?: string | undefined;
  readonly months: number;
  readonly days: number;
}

/**
 * Rows that meet a condition and are reported. `amount`: the sum to report instead of the number of rows, regardless of
 * the measure's filters.
 */
export interface UncountedRows {
  readonly sql: Template;
  readonly amount?: Template | undefined;
  /** The rows, in the plural. Text such as `sessions have …` is the whole sentence after their number. */
  readonly what: string;
}

/** `trailing` and `leading` extend back and ahead from `offset`, a bucket's start or end. */
export interface RollingWindow {
  readonly trailing?: WindowReach | undefined;
  readonly leading?: WindowReach | undefined;
  readonly offset: 'start' | 'end';
  /** The window begins with the unit that contains the bucket's start, and ends with the bucket. */
  readonly toDate?: Granularity | undefined;
  /** The last window ends with the asked range if the range ends before the bucket. */
  readonly clipped?: boolean | undefined;
}

export type WindowReach =
  | 'unbounded'
  /** Back to the start of the asked range, as in running totals. */
  | 'range'
  | {
      readonly amount: number;
      readonly unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
    };

export type DimensionType = 'string' | 'number' | 'boolean' | 'time';

export interface Dimension {
  /** Only for members of views. */
  readonly of?: Origin | undefined;
  readonly name: string;
  readonly title: string;
  readonly shortTitle: string;
  /** The label for people, if it differs from the title. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly type: DimensionType;
  readonly expression: DimensionExpression;
  readonly primaryKey: boolean;
  readonly format?: string | undefined;
  /** All values in their usual order, if it is not that of their letters. */
  readonly values?: readonly string[] | undefined;
  readonly public: boolean;
  /** Additional granularities of a time. One may replace a standard granularity. */
  readonly granularities?: readonly GranularityDefinition[] | undefined;
  /** For text that is a number in some rows: the number for comparisons, and the note about other rows. */
  readonly numbers?: { readonly sql: Template; readonly others: string | undefined } | undefined;
  /** For a property whose values are objects: one that is inside them, as a line writes it. */
  readonly inside?: string | undefined;
  /**
   * For text that is a time in some rows, and for numbers since 1970: the instant, and the note on how it is read.
   * `isLocal`: whether some have no zone.
   */
  readonly times?:
    | {
        readonly sql: Template;
        readonly others: string | undefined;
        readonly isLocal: boolean;
        readonly areNumbers?: boolean;
      }
    | undefined;
  /** A property seen in a sample of events. All events are read for it before it is queried. */
  readonly sampled?: boolean | undefined;
  /** True if only local engines support it, although servers have the same cube. */
  readonly local?: boolean | undefined;
  /** Set if it tells users of a cohort from others. */
  readonly cohort?: CohortMember | undefined;
}

/** A granularity of a time dimension in a model. Source of the rules: Cube's reference of dimensions. */
export interface GranularityDefinition {
  readonly name: string;
  /** The title of one of its buckets. */
  readonly title: string;
  /** undefined if `sql` or only a server defines where its buckets begin. */
  readonly rule?: GridRule | undefined;
  readonly sql?: Template | undefined;
  /** The rule as written in the model. */
  readonly written?: WrittenGrid | undefined;
}

/** An origin with an offset from UTC is an instant; any other is a wall time in the query's zone. */
export type GridRule = Omit<BucketGrid, 'origin'> & {
  readonly origin: { readonly time: number; readonly isInstant: boolean };
};

export interface CohortMember {
  /** undefined if the dimension only compares with names of cohorts. */
  readonly name: string | undefined;
  /** Names of the cohorts that it can be compared with. */
  readonly among: readonly string[];
}

export type DimensionExpression =
  | { readonly kind: 'sql'; readonly sql: Template }
  /**
   * Measures of other cubes, for each row of this cube. `propagate`: computed only over rows that pass the query's
   * filters.
   */
  | { readonly kind: 'sub-query'; readonly sql: Template; readonly propagate: boolean }
  /** A measure of the cube, for each user and group of the query's other dimensions and buckets. */
  | { readonly kind: 'per-user'; readonly of: Measure }
  /** The value of another dimension of the cube, from the user's first or last row that has one. */
  | { readonly kind: 'touch'; readonly touch: Touch; readonly of: Dimension }
  /**
   * A part of the time that the SQL returns, in the query's time zone. Binding sets `zone` to its canonical IANA name.
   */
  | { readonly kind: 'time-part'; readonly part: TimePart; readonly sql: Template; readonly zone?: string | undefined }
  /** Each row appears with all of the values. The switch selects the meaning of other members. */
  | { readonly kind: 'switch'; readonly values: readonly string[] }
  | {
      readonly kind: 'case';
      readonly when: readonly { readonly sql: Template; readonly label: CaseLabel }[];
      readonly otherwise?: CaseLabel | undefined;
    };

/** True for the figure of each user, such as `TrackedEvents.perUser.count`. */
export function isPerUser({ expression }: Pick<Dimension, 'expression'>): boolean {
  return expression.kind === 'per-user';
}

/** `hour`: 0 to 23. `weekday`: 1 (Monday) to 7, as ISO 8601 counts them. */
export type TimePart = 'hour' | 'weekday';

/** A literal label is always a value, never SQL. */
export type CaseLabel =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'sql'; readonly sql: Template };

export interface Segment {
  /** Only for members of views. */
  readonly of?: Origin | undefined;
  readonly name: string;
  readonly title: string;
  readonly shortTitle: string;
  readonly description?: string | undefined;
  readonly sql: Template;
  readonly public: boolean;
}

export interface Join {
  readonly cube: string;
  readonly relationship: 'one_to_one' | 'one_to_many' | 'many_to_one';
  readonly sql: Template;
}

/** The types that aggregate rows. The others are expressions over measures. */
export type AggregateType = Exclude<MeasureType, 'number' | 'string' | 'boolean' | 'time'>;

export function isAggregate(type: MeasureType): type is AggregateType {
  return type !== 'number' && type !== 'string' && type !== 'boolean' && type !== 'time';
}

/** A measure that aggregates rows itself. */
export type AggregateMeasure = Measure & { readonly type: AggregateType };

export function isAggregating(measure: Measure): measure is AggregateMeasure {
  return isAggregate(measure.type);
}

/** True if a row repeated by a join would be counted or added twice. Distinct counts and extremes do not change. */
export function addsUpRows(type: MeasureType): type is 'count' | 'sum' | 'avg' {
  return type === 'count' || type === 'sum' || type === 'avg';
}

/** True if the value is 0 when there are no rows. */
export function isCount(type: MeasureType): boolean {
  return type === 'count' || type === 'count_distinct' || type === 'count_distinct_approx';
}
