import type { EventMatch } from '../ask/analysis/event-match.ts';
import type { CohortDid } from '../ask/cohort/cohort.ts';
import type { Formula } from '../ask/notation/formula.ts';
import type { CanonicalQuery, Filter } from '../ask/query/query.ts';
import type { BucketSize } from '../ask/time/granularity.ts';
import type { TimeRange, Weekday } from '../ask/time/range.ts';
import type { Column, Value } from './column.ts';
import type { Cube, Dimension, Join, Measure, Model, Segment, Template, TimeShift } from './model/model.ts';

/**
 * A query bound to a model, as plain data: names and time ranges are resolved, and the rules of order and limit are
 * applied.
 */
export interface Plan {
  /** The canonical query. A range of `compareDateRange` has become its `dateRange`. */
  readonly query: CanonicalQuery;
  /**
   * The filters as written, which the load API returns. The canonical filters omit values that are not used.
   */
  readonly writtenFilters: readonly Filter[];
  readonly model: Model;
  /** Canonical IANA name. */
  readonly zone: string;
  readonly weekStart: Weekday;
  /** Only events of this project (`projectId`); undefined for all projects. Built-in cubes only. */
  readonly project: string | undefined;
  /** Reference time of relative ranges, in epoch milliseconds. */
  readonly now: number;
  /** The columns of the result: dimensions, time buckets, measures, in this order. */
  readonly columns: readonly Column[];
  readonly dimensions: readonly BoundDimension[];
  readonly times: readonly BoundTime[];
  readonly measures: readonly BoundMeasure[];
  readonly segments: readonly BoundSegment[];
  /** Conditions on rows: the query's filters on dimensions. All must hold, as must the ranges of `times`. */
  readonly rowConditions: readonly Condition[];
  /** Conditions on groups: the query's filters on measures. All must hold. */
  readonly groupConditions: readonly Condition[];
  /** The cube whose rows the others are joined to. */
  readonly root: Cube;
  /** Names of cubes whose rows the joins repeat. Sums over them count each row once. */
  readonly multiplied: readonly string[];
  /** In the order in which they are joined. */
  readonly joins: readonly BoundJoin[];
  /** Subqueries for dimensions that are computed from measures. */
  readonly subQueries?: readonly SubQuery[] | undefined;
  /** Switches that its members and conditions use. */
  readonly switches?: readonly BoundSwitch[] | undefined;
  readonly order: readonly PlanOrder[];
  /** undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  readonly total: boolean;
  readonly ungrouped: boolean;
  /** How its measures are computed, if the query has formulas. No engine runs this plan directly. */
  readonly derived?: Derivation | undefined;
  /** The groups to keep, if one row sums up all others. No engine runs this plan directly. */
  readonly others?: OthersPlan | undefined;
  /** The computation of the root, if it is the cube of an analysis. */
  readonly computed?: BoundComputation | undefined;
  /** The cohorts that its members and its computation name, each after the cohorts it is built from. */
  readonly cohorts?: readonly PlanCohort[] | undefined;
  /** How to fill gaps in the first time dimension with a granularity; see `shape/fill`. */
  readonly series: PlanSeries | undefined;
  /** Label of the range within a comparison: `2024-03-01 - 2024-03-31`. */
  readonly comparison: string | undefined;
}

/** The first groups of a question plus one for all others, whose figures are computed over all of their rows. */
export interface OthersPlan {
  /** The groups in order, over the whole range. Asks for one more than the limit, to detect others. */
  readonly rank: Plan;
  /** All groups by bucket; undefined if the answer of `rank` suffices. */
  readonly base: Plan | undefined;
  /** The same query without the dimensions. */
  readonly rest: Plan;
  readonly dimensions: readonly (BoundDimension & { readonly member: string })[];
  /** The groups to show, if known in advance: in a comparison, those of the current range. */
  readonly groups?: readonly (readonly Value[])[] | undefined;
}

/** How the measures of a plan are computed from the answers of other plans. */
export interface Derivation {
  /** Asks for everything that is not computed afterwards. */
  readonly base: Plan;
  /** Further plans that a change of a measure needs: buckets before the range, or totals. */
  readonly further: readonly FurtherPlan[];
  /** The plan's columns that are formulas. Their names are column keys of the base or of `further`. */
  readonly formulas: readonly { readonly column: number; readonly formula: Formula }[];
  /** The plan's conditions on groups that the base cannot apply. Operands are measures of the base, or formulas. */
  readonly conditions: readonly Condition[];
  /** Column keys of the formulas that conditions and order name, and of the base's measures. */
  readonly keys: ReadonlyMap<Measure, string>;
  /** True if the base applies the plan's order, limit and offset; otherwise it returns all groups. */
  readonly ordered: boolean;
}

/** A plan whose answer adds columns to those of the base. */
export interface FurtherPlan {
  /**
   * `average`: the mean of `count` buckets. `sum`: the sum from the first bucket on. `share`: the percentage of the
   * plan's values. `where`: the plan's values themselves, over only the rows that meet further conditions.
   */
  readonly kind: 'average' | 'sum' | 'share' | 'where';
  readonly plan: Plan;
  /** Keys of a column of the plan and of the column computed from it. */
  readonly columns: readonly { readonly from: string; readonly to: string }[];
  readonly count?: number | undefined;
  /** The further conditions of `where`, for people: `plan = pro`. */
  readonly where?: string | undefined;
}

/** The computation of an analysis for a plan. */
export interface BoundComputation<Definition = unknown, Bound = unknown> {
  /** Name of the analysis: `funnel`. */
  readonly analysis: string;
  readonly definition: Definition;
  /** The definition with its members resolved; undefined if a server computes it. */
  readonly bound: Bound | undefined;
}

/** A set of users, as of an instant. */
export interface PlanCohort {
  readonly name: string;
  /** The relation of its users in statements. */
  readonly table: string;
  /** Only events before this instant count, epoch milliseconds. */
  readonly at: number;
  readonly rule: BoundRule;
}

export type BoundRule =
  | {
      readonly kind: 'group';
      readonly all: readonly BoundRule[];
      readonly any: readonly BoundRule[];
      readonly except: readonly BoundRule[];
    }
  | {
      readonly kind: 'did';
      readonly match: EventMatch;
      /** The filters of `match`. */
      readonly conditions: readonly Condition[];
      readonly times: CohortDid['times'];
      readonly range: TimeRange | undefined;
    }
  | { readonly kind: 'first_seen'; readonly range: TimeRange }
  | {
      readonly kind: 'reached';
      readonly funnel: BoundComputation & { readonly definition: { readonly name: string } };
      /** Counted from 1. */
      readonly step: number;
      readonly range: TimeRange | undefined;
      /** The relation of the users found; undefined until they are computed. */
      readonly found?: string | undefined;
    }
  /** Users with known keys. */
  | { readonly kind: 'listed'; readonly users: readonly string[] }
  /** The users of a cohort earlier in the list. */
  | { readonly kind: 'cohort'; readonly table: string };

export interface BoundDimension {
  readonly cube: Cube;
  readonly dimension: Dimension;
  /** Index into `columns`. */
  readonly column: number;
}

/** A plan that returns the primary key of the dimension's cube and the dimension's value. */
export interface SubQuery {
  readonly cube: Cube;
  readonly dimension: Dimension;
  readonly plan: Plan;
}

export interface BoundSwitch {
  readonly cube: Cube;
  readonly dimension: Dimension;
  readonly values: readonly string[];
}

export interface BoundTime {
  readonly cube: Cube;
  readonly dimension: Dimension;
  /** undefined if the time only limits the range and is not in the answer. */
  readonly granularity: BucketSize | undefined;
  readonly range: TimeRange | undefined;
  readonly column: number | undefined;
  /** The start of a row's bucket as a wall time, if the model defines it in SQL. */
  readonly bucket?: Template | undefined;
  /** Counts rows as if they had happened later by this shift. The range consists of whole days. */
  readonly shift?: TimeShift | undefined;
}

export interface BoundMeasure {
  readonly cube: Cube;
  readonly measure: Measure;
  readonly column: number;
}

export interface BoundSegment {
  readonly cube: Cube;
  readonly segment: Segment;
}

export interface BoundJoin {
  readonly from: Cube;
  readonly to: Cube;
  /** In the direction from `from` to the joined cube. */
  readonly relationship: Join['relationship'];
  readonly join: Join;
  /** The cube whose model declares the join; `{CUBE}` in its SQL. */
  readonly declaredBy: Cube;
}

export interface PlanOrder {
  readonly column: number;
  readonly descending: boolean;
}

/** The time axis along which gaps are filled. */
export interface PlanSeries {
  /** Index into `columns`. */
  readonly column: number;
  readonly granularity: BucketSize;
  readonly range: TimeRange;
}

export type Condition = (
  | { readonly kind: 'and'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'test'; readonly operand: Operand; readonly test: Test }
) & {
  /** True if it selects groups for an answer and is no filter of the query. Not in parts of conditions. */
  readonly selects?: true;
};

export type Operand =
  | { readonly kind: 'dimension'; readonly cube: Cube; readonly dimension: Dimension }
  | { readonly kind: 'measure'; readonly cube: Cube; readonly measure: Measure };

/** Where a text must stand in a value. `pattern`: the text is a regular expression that a part of the value matches. */
export type TextPlace = 'anywhere' | 'start' | 'end' | 'pattern';

/** A test of one value. Values already have the operand's type. */
export type Test =
  | { readonly kind: 'one-of'; readonly values: readonly TestValue[]; readonly orNull: boolean }
  | { readonly kind: 'none-of'; readonly values: readonly TestValue[]; readonly orNull: boolean }
  | {
      readonly kind: 'like';
      readonly place: TextPlace;
      readonly texts: readonly string[];
      readonly orNull: boolean;
    }
  | {
      readonly kind: 'not-like';
      readonly place: TextPlace;
      readonly texts: readonly string[];
      readonly orNull: boolean;
    }
  | { readonly kind: 'compare'; readonly operator: '>' | '>=' | '<' | '<='; readonly value: TestValue }
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  /** Inside one of the ranges; a missing bound is open. */
  | { readonly kind: 'within'; readonly ranges: readonly OpenRange[]; readonly orNull: boolean }
  /** Outside all ranges; a missing bound is open. A missing time is neither inside nor outside. */
  | { readonly kind: 'outside'; readonly ranges: readonly OpenRange[]; readonly orNull: boolean }
  /** The measure's own filters, applied to rows. */
  | { readonly kind: 'measure-filter' };

export interface OpenRange {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

export type TestValue = string | number | bigint | boolean;
