import type { Annotation } from '../ask/chart/annotation.ts';
import type { Issue, Outcome } from '../ask/outcome.ts';
import type { CanonicalQuery, Query } from '../ask/query/query.ts';
import type { FillMode, InlineDefinition, SavedQuery } from '../ask/query/saved-query.ts';
import type { TimeContext } from '../ask/time/range.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from '../shape/result/result.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { UsageCell } from './notebook/notebook.ts';
import type { ReportFigure, ReportPart } from './report/report.ts';

/** What binding a notebook looks up, without asking anything that costs. */
export interface NotebookSurroundings {
  /** The present, the zone where the notebook names none, the first day of a week. */
  readonly time: TimeContext;
  /** A saved query by its name; undefined where there is none. Its own issues make the outcome bad. */
  readonly savedQuery: (name: string) => Promise<Outcome<SavedQuery> | undefined>;
  readonly savedQueryNames: () => Promise<readonly string[]>;
  /** What a question in one line asks, or all that is wrong with it. */
  readonly readLine: (line: string) => Promise<Outcome<SavedQuery>>;
  /** What a query means, or all that is wrong with it; `define`: what it asks that no file defines. */
  readonly bind: (query: Query, define?: InlineDefinition) => Promise<Outcome<readonly Plan[]>>;
  /** The time dimension that a bare range filters in a cube. */
  readonly timeMemberOf?: ((cube: string) => string | undefined) | undefined;
  /** What a funnel means, or all that is wrong with it. */
  readonly bindFunnel: (funnel: CellFunnel) => Promise<Outcome<BoundCellFunnel>>;
  /** Names of the groups that a usage cell can report. */
  readonly usageGroups?: (() => readonly string[]) | undefined;
  /**
   * Figures that a usage cell has, by what stands behind the cell's name: `total`, `change`. Not looked up where not
   * set.
   */
  readonly usageFigures?: readonly string[] | undefined;
  /** The marks of the workspace, which every report draws. */
  readonly marks?: (() => Promise<Outcome<readonly Annotation[]>>) | undefined;
  /** A letter without a folder to go to can be sent. */
  readonly canMail?: boolean | undefined;
  /** The names of the commands that can take reports. */
  readonly commands?: readonly string[] | undefined;
  /** Where reports go that do not say so, and who is notified of a check that alerts. */
  readonly deliveries?: { readonly deliver: readonly Delivery[]; readonly notify: readonly Delivery[] } | undefined;
  /** The marks of a file beside the notebook; undefined where there is none. */
  readonly marksBeside?: ((name: string) => Promise<Outcome<readonly Annotation[]> | undefined>) | undefined;
}

/** A question of a cell, bound. Those with equal queries and fills are asked once. */
export interface CellQuestion {
  readonly query: CanonicalQuery;
  /** What it asks that no file defines. */
  readonly define?: InlineDefinition | undefined;
  /** What the query means. */
  readonly plans: readonly Plan[];
  /** What came up when it was bound. */
  readonly warnings: readonly Issue[];
  readonly fill?: FillMode | undefined;
  readonly fillWith?: 0 | undefined;
}

export interface CellFunnel {
  /** Name of the funnel. */
  readonly name: string;
  /** A phrase, or dates as `--range` takes them. */
  readonly range?: string | undefined;
  readonly timezone?: string | undefined;
  readonly byEntry?: boolean | undefined;
  readonly trend?: 'day' | 'week' | 'month' | undefined;
}

export interface BoundCellFunnel {
  /** The funnel's own name, whichever way the cell calls it. */
  readonly name: string;
  /** The steps' names. */
  readonly steps: readonly string[];
  /** The answer has the steps more than once: for each value of a breakdown, or each bucket of a trend. */
  readonly grouped: boolean;
}

/** What a usage cell comes to: parts to show, and figures by name that prose and checks may use. */
export interface UsageAnswer {
  readonly parts: readonly ReportPart[];
  /** By what stands behind the cell's name in a quote: `total`, `change`. */
  readonly figures: ReadonlyMap<string, ReportFigure>;
  /** Sentences below the cell: what was left out, and why. */
  readonly footnotes: readonly string[];
  /** Data that end too early and projects that failed, each in a sentence: the cell counts as failed in part. */
  readonly failures: readonly string[];
  /** What stands before the figures like failures, and fails nothing: optional projects that could not be counted. */
  readonly alerts: readonly string[];
  /** The data end before the reported month does. */
  readonly stale?: boolean | undefined;
}

/**
 * Who answers the questions of a notebook. Everything rejects with the SluiceError family; `AbortedError` ends the run.
 */
export interface NotebookPorts {
  /** One Result; the ranges of a comparison beside one another (`shape/compare`). */
  readonly query: (question: CellQuestion, signal?: AbortSignal) => Promise<Result>;
  readonly funnel: (funnel: CellFunnel, signal?: AbortSignal) => Promise<Result>;
  /** Absent where nobody can tell usage: such a cell fails and says so. */
  readonly usage?: ((cell: UsageCell, time: TimeContext, signal?: AbortSignal) => Promise<UsageAnswer>) | undefined;
}
