import { invariant } from '../ask/invariant.ts';
import type { DefinitionReader } from '../ask/analysis/read-definitions.ts';
import type { ChartPreference } from '../ask/chart/chart-preference.ts';
import type { Issue, IssuePath } from '../ask/outcome.ts';
import type { Filter, Query } from '../ask/query/query.ts';
import type { TableLayout } from '../ask/query/saved-query.ts';
import type { TimeContext, TimeRange } from '../ask/time/range.ts';
import type { Value } from './column.ts';
import type { ComputedSource, Cube, Model } from './model/model.ts';
import type { BoundDimension, BoundMeasure, Condition, Plan, PlanCohort } from './plan.ts';

/**
 * A kind of cube that computes its rows from events instead of selecting them, such as funnels. Each definition in a
 * file becomes a cube of its name, which every query can use. `analysis/analyses.ts` lists all analyses.
 */
export interface Analysis<Definition extends NamedDefinition = NamedDefinition, Bound = unknown> {
  /** The name in sources, plans, `sluice schema` and messages: `funnel`. */
  readonly name: string;
  /** Servers may compute it as well. A server's own cube with a definition's name then answers for the definition. */
  readonly onServers: boolean;
  /** Loads the reader of definition files, which needs YAML and schemas. */
  loadReader(): Promise<DefinitionReader<Definition>>;
  toCube(definition: Definition, place: Pick<ComputedSource, 'computed' | 'events' | 'inline'>): Cube;
  /**
   * The question to ask if a user only names the definition. By default, all measures by all dimensions except its
   * time.
   */
  toUsualQuestion?(definition: Definition): UsualQuestion;
  /** Resolves the members that the definition names. Issues go to `tools`, with paths into the definition's file. */
  bind(definition: Definition, tools: DefinitionTools): Bound;
  /**
   * Adds an issue for each part of the plan's query that the analysis cannot answer. The engine does not check again.
   */
  check(plan: Plan, source: ComputedSource<Definition>, issues: Issue[]): void;
  /** Filters that select the users behind the plan's measures. By default, all users of the plan count. */
  whoseUsers?(plan: Plan): readonly Filter[];
  /**
   * Only for cohorts: the cohorts that a plan needs. Each comes after the cohorts that its rules refer to. `named`: the
   * cohorts that the plan's members name.
   */
  bindNeeded?(plan: Plan, named: ReadonlySet<string>, binding: NeededBinding): readonly PlanCohort[];
  /** The range of a plan, if a plan without one does not cover all time. */
  rangeOf?(plan: Plan, source: ComputedSource<Definition>): TimeRange;
  /**
   * Decides which figures of an answer are partial. By default, figures in partial buckets of the time axis are.
   * `known`: the time until which the data reach: the present, or the end of the data if it is earlier.
   */
  openPartialJudge?(plan: Plan, known: number): PartialJudge;
}

/** An analysis as its cubes use it, after definitions are read. */
type CubeAnalysis = Omit<Analysis, 'loadReader'>;

/** The analysis that defines a cube. */
export function analysisOf({ analysis }: Pick<ComputedSource, 'analysis'>): CubeAnalysis {
  invariant('toCube' in analysis, `the analysis ${analysis.name} made its cubes`);
  return analysis as CubeAnalysis;
}

/** A question that shows the whole definition. */
export interface UsualQuestion {
  readonly query: Query;
  readonly chart?: ChartPreference | undefined;
  readonly table?: TableLayout | undefined;
}

/**
 * Says why a figure of a row is partial: its time is not over, or it extends beyond the range. Returns undefined if the
 * figure is not partial. `measure` is a short name. `valueOf` takes column keys, and returns undefined for columns that
 * the answer lacks.
 */
export type PartialJudge = (
  measure: string,
  valueOf: (key: string) => Value | undefined,
) => 'by-present' | 'by-range' | undefined;

export interface NamedDefinition {
  /** The name of its cube. */
  readonly name: string;
}

/** Resolves the members that a definition names. They belong to cubes of events, whatever the model of the question. */
export interface DefinitionTools {
  readonly time: TimeContext;
  readonly issues: Issue[];
  /** Binds conditions on events. Adds an issue for each filter that does not compare an event. */
  bindFilters(filters: readonly Filter[], path: IssuePath): readonly Condition[];
  /**
   * Finds a dimension of an event. If there is none of that name, returns undefined and adds an issue. `hint`: what
   * else the name may mean.
   */
  findDimension(name: string, path: IssuePath, hint?: string): Omit<BoundDimension, 'column'> | undefined;
  /** Finds a measure over events. If there is none of that name, returns undefined and adds an issue. */
  findMeasure(name: string, path: IssuePath): Omit<BoundMeasure, 'column'> | undefined;
}

/** The context of a definition. */
export interface DefinitionSurroundings {
  /** Collects the names of the cohorts that its members need. */
  readonly cohorts?: Set<string> | undefined;
  /** The model of the question, which knows event properties. If undefined, only the definition's own model applies. */
  readonly model?: Model | undefined;
  /** Changes each condition that the definition contains. */
  readonly place?: ((condition: Condition) => Condition) | undefined;
}

/** Parts of a question's binding for an analysis that other cubes need. */
export interface NeededBinding {
  readonly time: TimeContext;
  readonly issues: Issue[];
  readonly toTools: (
    of: Pick<ComputedSource, 'events'>,
    time: TimeContext,
    issues: Issue[],
    surroundings: DefinitionSurroundings,
  ) => DefinitionTools;
  /** Adds the issues of a definition's file to the issues of a question. */
  readonly tellDefinition: (analysis: string, name: string, found: readonly Issue[], issues: Issue[]) => void;
}
