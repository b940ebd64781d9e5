import { invariant } from '../ask/invariant.ts';
import type { DefinitionReader } from '../ask/analysis/read-definitions.ts';
import type { ChartPreference } from '../ask/chart/chart-preference.ts';
import type { Issue, IssuePath } from '../ask/outcome.ts';
import type { Filter, Query } from '../ask/query/query.ts';
import type { TableLayout } from '../ask/query/saved-query.ts';
import type { TimeContext } from '../ask/time/range.ts';
import type { Value } from './column.ts';
import type { ComputedSource, Cube, Model } from './model/model.ts';
import type { BoundDimension, BoundMeasure, Condition, Plan, PlanCohort } from './plan.ts';

/**
 * A kind of cube whose rows are computed from events rather than selected: funnels, for example. Definitions come from
 * files; each becomes a cube of its name, which every question may ask. `analysis/analyses.ts` lists them all.
 */
export interface Analysis<Definition extends NamedDefinition = NamedDefinition, Bound = unknown> {
  /** What sources, plans, `sluice schema` and messages call it: `funnel`. */
  readonly name: string;
  /** A server may compute it, too: then the server's own cube of a definition's name is the definition's. */
  readonly onServers: boolean;
  /** Loads the reader of its files, which needs YAML and schemas. */
  loadReader(): Promise<DefinitionReader<Definition>>;
  toCube(definition: Definition, place: Pick<ComputedSource, 'computed' | 'events' | 'inline'>): Cube;
  /** What is asked if only the definition is named; if not set, all measures by all dimensions but its time. */
  toUsualQuestion?(definition: Definition): UsualQuestion;
  /** The definition with the members that it names. Issues go to the tools, with paths into its file. */
  bind(definition: Definition, tools: DefinitionTools): Bound;
  /** Adds an issue for each part of the plan's query that it cannot answer; none may be left to the engine. */
  check(plan: Plan, source: ComputedSource<Definition>, issues: Issue[]): void;
  /** Which rows of a plan's users stand behind its measures; if not set, all. */
  whoseUsers?(plan: Plan): readonly Filter[];
  /**
   * Of cohorts: those that a plan needs, the ones before that others are made of. `named`: what the plan's members
   * name.
   */
  bindNeeded?(plan: Plan, named: ReadonlySet<string>, binding: NeededBinding): readonly PlanCohort[];
  /** Which figures of an answer are partial; if not set, those of partial buckets of the time axis. */
  openPartialJudge?(plan: Plan): PartialJudge;
}

/** An analysis as its cubes know it: of definitions that are read already. */
export type CubeAnalysis = Omit<Analysis, 'loadReader'>;

/** The analysis that made a cube. */
export function analysisOf({ analysis }: Pick<ComputedSource, 'analysis'>): CubeAnalysis {
  invariant('toCube' in analysis, `the analysis ${analysis.name} made its cubes`);
  return analysis as CubeAnalysis;
}

/** A question that shows the whole of a definition. */
export interface UsualQuestion {
  readonly query: Query;
  readonly chart?: ChartPreference | undefined;
  readonly table?: TableLayout | undefined;
}

/**
 * Why a figure of a row is partial: its time is not over, or reaches beyond the range; undefined: it is not. `measure`
 * is a short name; `valueOf` takes the keys of columns, and gives undefined for a column that the answer does not have.
 */
export type PartialJudge = (
  measure: string,
  valueOf: (key: string) => Value | undefined,
) => 'by-present' | 'by-range' | undefined;

export interface NamedDefinition {
  /** The name of its cube. */
  readonly name: string;
}

/** What it takes to find the members that a definition names: those of events, whatever model questions have. */
export interface DefinitionTools {
  readonly time: TimeContext;
  readonly issues: Issue[];
  /** Conditions on events. What does not compare an event is an issue. */
  bindFilters(filters: readonly Filter[], path: IssuePath): readonly Condition[];
  /**
   * A dimension of an event; undefined, and an issue, if there is none of that name. `hint`: what else may be meant.
   */
  findDimension(name: string, path: IssuePath, hint?: string): Omit<BoundDimension, 'column'> | undefined;
  /** A measure over events; undefined, and an issue, if there is none of that name. */
  findMeasure(name: string, path: IssuePath): Omit<BoundMeasure, 'column'> | undefined;
}

/** What is known beside a definition. */
export interface DefinitionSurroundings {
  /** Takes the names of the cohorts that its members need. */
  readonly cohorts?: Set<string> | undefined;
  /** The model of the question, which knows properties of events; undefined: only the definition's own counts. */
  readonly model?: Model | undefined;
  /** What a condition becomes that the definition names. */
  readonly place?: ((condition: Condition) => Condition) | undefined;
}

/** What the binding of a question gives to an analysis that other cubes need. */
export interface NeededBinding {
  readonly time: TimeContext;
  readonly issues: Issue[];
  readonly toTools: (
    of: Pick<ComputedSource, 'events'>,
    time: TimeContext,
    issues: Issue[],
    surroundings: DefinitionSurroundings,
  ) => DefinitionTools;
  /** Adds what is wrong with the file of a definition to the issues of a question. */
  readonly tellDefinition: (analysis: string, name: string, found: readonly Issue[], issues: Issue[]) => void;
}
