import type { Annotation } from '../ask/chart/annotation.ts';
import type { Locate } from '../ask/document/located.ts';
import type { NotationOptions } from '../ask/notation/read-notation.ts';
import type { Issue, Outcome } from '../ask/outcome.ts';
import type { CanonicalQuery, Query } from '../ask/query/query.ts';
import type { FillMode, InlineDefinition, SavedQuery } from '../ask/query/saved-query.ts';
import type { TimeContext } from '../ask/time/range.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from '../shape/result/result.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { UsageCell } from './notebook/notebook.ts';
import type { ReportFigure, ReportPart } from './report/report.ts';

/** A question in one line. Spans are places in the line; `locate` finds those of the parts of its query. */
export type LineOutcome = Outcome<SavedQuery> & { readonly locate?: Locate | undefined };

/** Look-ups that bind a notebook. None of them asks a costly question. */
export interface NotebookSurroundings {
  /** The reference time, the zone for notebooks without one, and the first day of the week. */
  readonly time: TimeContext;
  /** A saved query by name; undefined if there is none. If it has issues, the outcome is bad. */
  readonly savedQuery: (name: string) => Promise<Outcome<SavedQuery> | undefined>;
  readonly savedQueryNames: () => Promise<readonly string[]>;
  /** How the short names of a query are resolved. */
  readonly names?: NotationOptions | undefined;
  /** Reads a question in one line, or returns all its issues. */
  readonly readLine: (line: string) => Promise<LineOutcome>;
  /** Binds a query, or returns all its issues. `define`: definitions that are in no file. */
  readonly bind: (query: Query, define?: InlineDefinition) => Promise<Outcome<readonly Plan[]>>;
  /** The time dimension of a cube that a range without one filters. */
  readonly timeMemberOf?: ((cube: string) => string | undefined) | undefined;
  /** Binds a funnel, or returns all its issues. */
  readonly bindFunnel: (funnel: CellFunnel) => Promise<Outcome<BoundCellFunnel>>;
  /** Names of the groups that a usage cell can report. */
  readonly usageGroups?: (() => readonly string[]) | undefined;
  /** Figures of a usage cell, such as `total` and `change`; not checked if unset. */
  readonly usageFigures?: readonly string[] | undefined;
  /** The marks of the workspace, which every report draws. */
  readonly marks?: (() => Promise<Outcome<readonly Annotation[]>>) | undefined;
  /** Emails without a folder can be sent. */
  readonly canMail?: boolean | undefined;
  /** Names of the commands that accept reports. */
  readonly commands?: readonly string[] | undefined;
  /** Default places for reports, and receivers of failed checks with `alert`. */
  readonly deliveries?: { readonly deliver: readonly Delivery[]; readonly notify: readonly Delivery[] } | undefined;
  /** The marks of a file beside the notebook; undefined if it does not exist. */
  readonly marksBeside?: ((name: string) => Promise<Outcome<readonly Annotation[]> | undefined>) | undefined;
}

/** A bound question of a cell. Questions with equal queries and fills are asked once. */
export interface CellQuestion {
  readonly query: CanonicalQuery;
  /** Definitions that are in no file. */
  readonly define?: InlineDefinition | undefined;
  /** The plans of the query. */
  readonly plans: readonly Plan[];
  /** Warnings from binding. */
  readonly warnings: readonly Issue[];
  readonly fill?: FillMode | undefined;
  readonly fillWith?: 0 | undefined;
}

export interface CellFunnel {
  /** Name of the funnel. */
  readonly name: string;
  /** A phrase, or dates as `--range` accepts them. */
  readonly range?: string | undefined;
  readonly timezone?: string | undefined;
  readonly byEntry?: boolean | undefined;
  readonly trend?: 'day' | 'week' | 'month' | undefined;
  readonly interval?: boolean | undefined;
}

export interface BoundCellFunnel {
  /** The funnel's own name, even if the cell uses another. */
  readonly name: string;
  /** Names of the steps. */
  readonly steps: readonly string[];
  /** The answer repeats the steps for each value of a breakdown or each bucket of a trend. */
  readonly grouped: boolean;
}

/** The answer of a usage cell: parts to show, and figures by name for prose and checks. */
export interface UsageAnswer {
  readonly parts: readonly ReportPart[];
  /** By the path after the cell's name in a quote: `total`, `change`. */
  readonly figures: ReadonlyMap<string, ReportFigure>;
  /** Names of figures of a month that is not over. */
  readonly partial?: ReadonlySet<string> | undefined;
  /** Sentences below the cell: what is omitted, and why. */
  readonly footnotes: readonly string[];
  /** Data that ends early and failed projects, one sentence each. The cell counts as partly failed. */
  readonly failures: readonly string[];
  /** Optional projects that could not be counted: shown before the figures, but the cell does not fail. */
  readonly alerts: readonly string[];
  /** The data ends before the reported month. */
  readonly stale?: boolean | undefined;
}

/** Answers the questions of a notebook. Functions reject with a `SluiceError`; `AbortedError` ends the run. */
export interface NotebookPorts {
  /** Returns one result. The ranges of a comparison are side by side (`shape/compare`). */
  readonly query: (question: CellQuestion, signal?: AbortSignal) => Promise<Result>;
  readonly funnel: (funnel: CellFunnel, signal?: AbortSignal) => Promise<Result>;
  /** Absent if usage is not available: then usage cells fail with a message. */
  readonly usage?: ((cell: UsageCell, time: TimeContext, signal?: AbortSignal) => Promise<UsageAnswer>) | undefined;
}
