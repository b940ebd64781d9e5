import type { Touch } from '../../ask/query/touch-name.ts';
import type { BucketGrid, Granularity } from '../../ask/time/granularity.ts';

/** A semantic model: what can be asked, and what it means in SQL. Plain read-only data. */
export interface Model {
  /** The cubes and views, in the order of the model. */
  readonly cubes: readonly Cube[];
  /** Cubes (`Orders`) and members (`Orders.place`) of the model's text that are not supported, each with its reason. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /**
   * The cube whose rows are the events that sessions, users, funnels and usage are made of, where it is one of its own.
   */
  readonly events?: EventsCube | undefined;
}

export interface EventsCube {
  readonly cube: string;
  /** Which member (full name of a dimension) is which column of the canonical events; `utc_time` is among them. */
  readonly members: readonly { readonly column: string; readonly member: string }[];
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
  /** Its rows are files of the workspace, whoever answers other questions. */
  readonly synced?: boolean | undefined;
  /** False: can be asked for, but is left out of listings (older names of a cube). */
  readonly public: boolean;
  /** How its members are to be shown together. */
  readonly folders?: readonly Group[] | undefined;
  /** Dimensions from the coarsest to the finest. */
  readonly hierarchies?: readonly Group[] | undefined;
}

/** Members under one heading. */
export interface Group {
  readonly name: string;
  readonly title: string;
  /** Full names. */
  readonly members: readonly string[];
}

/**
 * The member of a cube that a member of a view stands for, and the cubes over which the view's joins lead to it, the
 * first being the view's root.
 */
export interface Origin {
  readonly path: readonly string[];
  readonly member: string;
}

/** Where a cube's rows come from. Each dialect lowers the derived kinds in its own words. */
export type CubeSource =
  /** `path`: the steps of the name, where they are not what stands between its dots. */
  | { readonly kind: 'table'; readonly table: string; readonly path?: readonly string[] | undefined }
  | { readonly kind: 'sql'; readonly sql: Template }
  /** The normalised events: one row an event, columns as in `eventFields`. */
  | { readonly kind: 'events' }
  /** One row a session, built over all events. */
  | { readonly kind: 'sessions' }
  /** One row a user, built over all sessions. */
  | { readonly kind: 'users' }
  /** A view has no members of its own: each one refers to a member of a cube. */
  | { readonly kind: 'view' }
  /** What an analysis computes from events: a funnel, for example. See `plan/analysis.ts`. */
  | ComputedSource;

export interface ComputedSource<Definition = unknown> {
  readonly kind: 'computed';
  /** Whose cube it is; `analysisOf` gives all of it. */
  readonly analysis: { readonly name: string };
  /** What is computed; its shape is the analysis's own. */
  readonly definition: Definition;
  /** Who computes it: a local engine, a server that knows it or may know it, or nobody if the server does not. */
  readonly computed: 'here' | 'by-server' | 'nowhere';
  /** What the names in its definition mean: cubes of events. */
  readonly events: Model;
  /** The question defines it by itself, so that what is wrong with it is at a path of the question. */
  readonly inline?: boolean | undefined;
}

/** Text of a model's SQL, cut at its `{references}`. Text parts are trusted: the model's author wrote them. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `{CUBE}` or the cube's own name: the alias of the cube itself. */
  | { readonly kind: 'cube' }
  /** The query's filters on members, inside the SQL of a whole cube: `FILTER_PARAMS` and `FILTER_GROUP`. */
  | { readonly kind: 'filter'; readonly uses: readonly FilterUse[] }
  /** `{Users}`: the alias of another, joined cube. */
  | { readonly kind: 'joined-cube'; readonly cube: string }
  /** `{member}`, `{CUBE.member}`, `{Users.plan}`: the SQL of a measure, dimension or segment. */
  | { readonly kind: 'member'; readonly cube: string; readonly member: string };

/** A filter on a member is one on this SQL instead, or what a function of its values makes of them. */
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
  /** What people call it, where that is not what its titles say. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly type: MeasureType;
  /** What is aggregated; for `number`, `string`, `boolean`, `time` the expression over other measures. */
  readonly sql?: Template | undefined;
  /** Only rows that pass all of them are aggregated. */
  readonly filters: readonly Template[];
  readonly rollingWindow?: RollingWindow | undefined;
  /** It is made of values of groups, not of rows: `sql` names measures. */
  readonly stage?: Stage | undefined;
  readonly format?: string | undefined;
  /** Full names. */
  readonly drillMembers: readonly string[];
  readonly public: boolean;
  /** What the measure cannot count, which is told beside it. */
  readonly uncounted?: readonly UncountedRows[] | undefined;
  readonly sampled?: boolean | undefined;
  /** Groups at one time never overlap. */
  readonly disjoint?: boolean | undefined;
}

/** How a measure is made of measures of groups that differ from the answer's. Names are full ones. */
export interface Stage {
  /** Of the query's dimensions only these keep groups apart. */
  readonly groupBy?: readonly string[] | undefined;
  /** Of the query's dimensions these do not. */
  readonly reduceBy?: readonly string[] | undefined;
  /** Dimensions by which the groups are finer. */
  readonly addGroupBy?: readonly string[] | undefined;
  /** The measures are those of another time. */
  readonly shifts?: readonly TimeShift[] | undefined;
  /** The rank among the groups, by these. */
  readonly rank?: readonly { readonly sql: Template; readonly descending: boolean }[] | undefined;
}

/** Times are moved ahead by so much, so that the past stands beside the present; negative: back. */
export interface TimeShift {
  /** undefined: whatever time the query asks. */
  readonly time?: string | undefined;
  readonly months: number;
  readonly days: number;
}

/**
 * Rows for which a condition holds; how many there are is told. `amount`: what is added up over the rows instead,
 * whatever the measure's own filters.
 */
export interface UncountedRows {
  readonly sql: Template;
  readonly amount?: Template | undefined;
  readonly what: string;
}

/** `trailing` and `leading` reach back and ahead from `offset`, a bucket's start or end. */
export interface RollingWindow {
  readonly trailing?: WindowReach | undefined;
  readonly leading?: WindowReach | undefined;
  readonly offset: 'start' | 'end';
  /** The window begins where this unit of the bucket's start does, and ends with the bucket. */
  readonly toDate?: Granularity | undefined;
  /** The window of the last bucket ends with the asked range, where that is sooner. */
  readonly clipped?: boolean | undefined;
}

export type WindowReach =
  | 'unbounded'
  /** To the first instant of the asked range, as running totals do. */
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
  /** What people call it, where that is not what its titles say. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly type: DimensionType;
  readonly expression: DimensionExpression;
  readonly primaryKey: boolean;
  readonly format?: string | undefined;
  readonly public: boolean;
  /** Of a time: what it can be cut into besides the standard granularities. One of these may stand for such a one. */
  readonly granularities?: readonly GranularityDefinition[] | undefined;
  /** Of text that is a number in some rows: the number, by which sizes are compared, and what is told of the others. */
  readonly numbers?: { readonly sql: Template; readonly others: string | undefined } | undefined;
  /** A property that some events were seen to have: what it is in all of them is looked up before it is asked. */
  readonly sampled?: boolean | undefined;
  /** Only local engines have it: servers that serve the same cube do not. */
  readonly local?: boolean | undefined;
  /** It tells users of a cohort from others. */
  readonly cohort?: CohortMember | undefined;
}

/** A granularity of a time dimension, as a model has it. Source of the rules: Cube's reference of dimensions. */
export interface GranularityDefinition {
  readonly name: string;
  /** What people call one of its buckets. */
  readonly title: string;
  /** undefined: `sql`, or a server alone, says where its buckets begin. */
  readonly rule?: GridRule | undefined;
  readonly sql?: Template | undefined;
  /** The rule as its author wrote it. */
  readonly written?: WrittenGrid | undefined;
}

export interface WrittenGrid {
  readonly interval: string;
  readonly origin?: string;
  readonly offset?: string;
}

/** An origin that names its offset from UTC is an instant, and every other a wall time of the query's zone. */
export type GridRule = Omit<BucketGrid, 'origin'> & {
  readonly origin: { readonly time: number; readonly isInstant: boolean };
};

export interface CohortMember {
  /** undefined: the dimension only compares with names of cohorts. */
  readonly name: string | undefined;
  /** Names of the cohorts that it can be compared with. */
  readonly among: readonly string[];
}

export type DimensionExpression =
  | { readonly kind: 'sql'; readonly sql: Template }
  /**
   * Measures of other cubes, for each row of the own one. `propagate`: over the rows that the query's filters let stay.
   */
  | { readonly kind: 'sub-query'; readonly sql: Template; readonly propagate: boolean }
  /** The value of another dimension of the cube at the first or last row of the user that has one. */
  | { readonly kind: 'touch'; readonly touch: Touch; readonly of: Dimension }
  /**
   * What a clock or calendar of the query's time zone shows at the time that the SQL gives. Binding sets the `zone`,
   * its canonical IANA name.
   */
  | { readonly kind: 'time-part'; readonly part: TimePart; readonly sql: Template; readonly zone?: string | undefined }
  /** All rows stand beside each of the values: it chooses what other members mean. */
  | { readonly kind: 'switch'; readonly values: readonly string[] }
  | {
      readonly kind: 'case';
      readonly when: readonly { readonly sql: Template; readonly label: CaseLabel }[];
      readonly otherwise?: CaseLabel | undefined;
    };

/** `hour`: 0 to 23. `weekday`: 1 (Monday) to 7, as ISO 8601 counts them. */
export type TimePart = 'hour' | 'weekday';

/** A literal label is a value, never SQL. */
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

/** A row that a join repeats would be counted or added once too often. Distinct counts and extremes do not mind. */
export function addsUpRows(type: MeasureType): type is 'count' | 'sum' | 'avg' {
  return type === 'count' || type === 'sum' || type === 'avg';
}

/** Of nothing there are 0. */
export function isCount(type: MeasureType): boolean {
  return type === 'count' || type === 'count_distinct' || type === 'count_distinct_approx';
}
