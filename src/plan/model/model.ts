import type { Funnel } from '../../ask/funnel/funnel.ts';

/** A semantic model: what can be asked, and what it means in SQL. Plain read-only data. */
export interface Model {
  readonly cubes: readonly Cube[];
  /** Cubes (`Orders`) and members (`Orders.place`) of the model's text that are not supported, each with its reason. */
  readonly leftOut?: readonly LeftOut[] | undefined;
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
  /** False: can be asked for, but is left out of listings (older names of a cube). */
  readonly public: boolean;
}

/** Where a cube's rows come from. Each dialect lowers the derived kinds in its own words. */
export type CubeSource =
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'sql'; readonly sql: Template }
  /** The normalised events: one row an event, columns as in `eventFields`. */
  | { readonly kind: 'events' }
  /** One row a session, built over all events. */
  | { readonly kind: 'sessions' }
  /** One row a user, built over all sessions. */
  | { readonly kind: 'users' }
  /** One row a step, with how many came at least so far; see `toFunnelCube`. */
  | FunnelSource;

export interface FunnelSource {
  readonly kind: 'funnel';
  readonly funnel: Funnel;
  /** Who follows the users: a local engine; a server that knows the funnel, or may; or nobody, as the server does not know it. */
  readonly computed: 'here' | 'by-server' | 'nowhere';
  /** What the names in its filters mean: cubes of events. */
  readonly events: Model;
}

/** Text of a model's SQL, cut at its `{references}`. Text parts are trusted: the model's author wrote them. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `{CUBE}` or the cube's own name: the alias of the cube itself. */
  | { readonly kind: 'cube' }
  /** `{Users}`: the alias of another, joined cube. */
  | { readonly kind: 'joined-cube'; readonly cube: string }
  /** `{member}`, `{CUBE.member}`, `{Users.plan}`: the SQL of a measure, dimension or segment. */
  | { readonly kind: 'member'; readonly cube: string; readonly member: string };

export const measureTypes = [
  'count', 'count_distinct', 'count_distinct_approx', 'sum', 'avg', 'min', 'max', 'number', 'string', 'boolean', 'time',
] as const;

export type MeasureType = (typeof measureTypes)[number];

export interface Measure {
  /** Short name, unique within the cube. The full name is `Cube.name`. */
  readonly name: string;
  readonly title: string;
  readonly shortTitle: string;
  readonly description?: string | undefined;
  readonly type: MeasureType;
  /** What is aggregated; for `number`, `string`, `boolean`, `time` the expression over other measures. */
  readonly sql?: Template | undefined;
  /** Only rows that pass all of them are aggregated. */
  readonly filters: readonly Template[];
  readonly rollingWindow?: RollingWindow | undefined;
  readonly format?: string | undefined;
  /** Full names. */
  readonly drillMembers: readonly string[];
  readonly public: boolean;
  /** What the measure cannot count, which is told beside it. */
  readonly uncounted?: readonly UncountedRows[] | undefined;
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
}

export type WindowReach = 'unbounded' | { readonly amount: number; readonly unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year' };

export type DimensionType = 'string' | 'number' | 'boolean' | 'time';

export interface Dimension {
  readonly name: string;
  readonly title: string;
  readonly shortTitle: string;
  readonly description?: string | undefined;
  readonly type: DimensionType;
  readonly expression: DimensionExpression;
  readonly primaryKey: boolean;
  readonly format?: string | undefined;
  readonly public: boolean;
}

export type DimensionExpression =
  | { readonly kind: 'sql'; readonly sql: Template }
  | { readonly kind: 'case'; readonly when: readonly { readonly sql: Template; readonly label: CaseLabel }[]; readonly otherwise?: CaseLabel | undefined };

/** A literal label is a value, never SQL. */
export type CaseLabel = { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'sql'; readonly sql: Template };

export interface Segment {
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
