import type { Queryable, RowOf } from '../ask/query/builder.ts';
import type { LooseRow } from '../ask/query/model-types.ts';
import type { Explanation } from '../run/backend.ts';
import type { Provenance } from '../shape/result/provenance.ts';
import type { Result } from '../shape/result/result.ts';
import type { AnalysisName } from '../plan/analysis/analyses.ts';
import type {
  GivenFunnel,
  GivenLifecycle,
  GivenRetention,
  GivenStickiness,
  LifecycleRow,
  RetentionRow,
  StickinessRow,
} from './analysis/given.ts';
import type { RunAnalysisOptions } from './analysis/run-analysis.ts';
import type { AnswerOptions } from './answer/answer-question.ts';
import type { LoadAnswer } from './answer/load.ts';
import type { NoteListener } from './answer/tell-notes.ts';
import type { SettingFlags } from './config/read-flags.ts';
import type { ExportOptions, ExportReport } from './export/export-options.ts';
import type { RunFunnelOptions } from './funnel/run-funnel.ts';
import type { WriteOptions } from './output/write-result-file.ts';
import type { Cell } from './users/list-users.ts';
import type { BindOptions, Session } from './workspace/session.ts';

/** Settings for `open`; what is not given comes from the environment and the workspace's configuration. */
export interface OpenOptions extends SettingFlags {
  /**
   * The folder to work in: where the configuration is looked for and relative paths start. The current one where not
   * set.
   */
  readonly workspace?: string | undefined;
  /** A configuration file other than the one that is found. */
  readonly config?: string | undefined;
  /** `process.env` where not set. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Epoch milliseconds: the present that relative phrases are read against. `Date.now` where not set. */
  readonly now?: (() => number) | undefined;
  /** Told of oddities in the configuration and the model, a text each. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /**
   * Told of each note of each answer: a limit that was reached, lines that could not be read, filled and partial
   * values.
   * Without it, each different note becomes a warning of the process (`process.on('warning')`), once.
   */
  readonly onNote?: NoteListener | undefined;
  /**
   * Answers that reached a limit, lack lines, or are about a time that is not over are refused: `incomplete-answer`.
   */
  readonly strict?: boolean | undefined;
}

/** Options of a question. */
export interface AskOptions extends AnswerOptions, BindOptions {
  /** As `strict` of `open`, for this question alone. */
  readonly strict?: boolean | undefined;
}

/** Options of an analysis. */
export interface AnalysisOptions extends Omit<RunAnalysisOptions, 'written'> {
  /** As `strict` of `open`, for this question alone. */
  readonly strict?: boolean | undefined;
}

/** What `query` asks: a query or builder, a question in one line, or the name of a saved query. */
export type Asked = Queryable | string;

/** The rows of an answer: typed by the builder's model where there is one. */
export type AnswerRow<A> = A extends string ? LooseRow : RowOf<A>;

/** sluice, opened: ask it, and close it by `await using` or `[Symbol.asyncDispose]()`. */
export interface Sluice extends Session {
  /**
   * Answers a question. A local engine gives all rows if the query names no limit; a server gives 10,000, and the
   * answer says so. Throws `InvalidInputError` (its message shows every issue), `BackendError` (`answer-too-large` if
   * the rows do not fit into memory; `write` streams them), `AbortedError`. A saved query's own `fill` applies where
   * the options set none.
   */
  query<A extends Asked>(asked: A, options?: AskOptions): Promise<Result<AnswerRow<A> & object>>;
  /**
   * Answers a question into a file, which appears whole or not at all; the formats are those of `writeResult`. Rows
   * that need no fill are written piece by piece, and memory does not grow with their number. Resolves with where the
   * rows come from, and how many there are. Throws as `query`.
   */
  write(asked: Asked, file: string, options?: AskOptions & WriteOptions): Promise<Provenance>;
  /**
   * Runs a funnel of the workspace, by its name or that of its file, or one that is given: a row a step, with
   * conversion, drop-off and, on local engines, times to convert; with `trend`, those of each bucket. Throws as `query`.
   */
  funnel(funnel: string | GivenFunnel, options?: RunFunnelOptions & Pick<AskOptions, 'strict'>): Promise<Result>;
  /**
   * Answers a retention of the workspace, by its name or that of its file, or one that is given: a row for each cohort
   * and period, with the size of the cohort, the users who came back, and their share in percent. Throws as `query`.
   */
  retention<const Given extends string | GivenRetention>(
    retention: Given,
    options?: AnalysisOptions,
  ): Promise<Result<RetentionRow<Given> & object>>;
  /** The same of a lifecycle: a row for each period and status, with its users. */
  lifecycle<const Given extends string | GivenLifecycle>(
    lifecycle: Given,
    options?: AnalysisOptions,
  ): Promise<Result<LifecycleRow<Given> & object>>;
  /** The same of a stickiness: a row for each number of periods, with its users. */
  stickiness<const Given extends string | GivenStickiness>(
    stickiness: Given,
    options?: AnalysisOptions,
  ): Promise<Result<StickinessRow<Given> & object>>;
  /** The same of any analysis; a definition that is given is what its file has below its key. */
  analysis(analysis: AnalysisName, definition: string | object, options?: AnalysisOptions): Promise<Result>;
  /**
   * The users who stand behind a question, or behind a cell of an analysis (a row of its answer, or the values that
   * tell it apart: `{cohort: '2024-W09', period: 1}`), one a row: `user`, `userKind` (`anonymous` or `known`) and what
   * each adds to the question's measures; who adds nothing is left out. Local engines only. Throws as `query`, and
   * `BackendError` (`users-not-local`). Users of a funnel: on the command line, `sluice funnel run NAME --users`.
   */
  users(asked: Asked, options?: AskOptions): Promise<Result>;
  users(
    asked: { readonly analysis: AnalysisName; readonly definition: string | object; readonly cell: Cell },
    options?: AnalysisOptions,
  ): Promise<Result>;
  /**
   * Exports all events of a range to a folder, a file a window, or to a single file whose name ends as a format's. Each
   * event once; stopped at any moment, the same call goes on. Resolves with what came of it, also where some windows
   * changed again and again while they were fetched (`outcome: 'partial'`). Throws as `query`, and `ExportError`.
   */
  export(to: string, options: ExportOptions): Promise<ExportReport>;
  /** What would be run for it, one explanation for each range of a comparison. (`explain` explains a plan.) */
  explainQuery(asked: Asked, options?: AskOptions): Promise<readonly Explanation[]>;
  /** Answers a load body as the platform's API does, errors included. */
  load(
    body: unknown,
    options?: { readonly queryType?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<LoadAnswer>;
}
