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

/** Settings for `open`. Omitted settings come from the environment and the workspace's configuration. */
export interface OpenOptions extends SettingFlags {
  /**
   * The folder that contains the configuration and that relative paths start from. Defaults to the current folder.
   */
  readonly workspace?: string | undefined;
  /** Path of the configuration file. By default, sluice looks for it in the workspace. */
  readonly config?: string | undefined;
  /** Environment variables. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Reference time for relative ranges, in epoch milliseconds. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Called with each warning about the configuration and the model. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /**
   * Called with each note of each result: a limit that was reached, lines that could not be read, filled and partial
   * values. By default, each different note becomes a process warning (`process.on('warning')`) once.
   */
  readonly onNote?: NoteListener | undefined;
  /**
   * Throws `incomplete-answer` if a result reached a limit, lacks lines, or covers a time that is not over.
   */
  readonly strict?: boolean | undefined;
}

/** Options of a query. */
export interface AskOptions extends AnswerOptions, BindOptions {
  /** Overrides `strict` of `open` for this query. */
  readonly strict?: boolean | undefined;
}

/** Options of an analysis. */
export interface AnalysisOptions extends Omit<RunAnalysisOptions, 'written'> {
  /** As `strict` of `open`, for this question alone. */
  readonly strict?: boolean | undefined;
}

/** A query, a query builder, a query in one line, or the name of a saved query. */
export type Asked = Queryable | string;

/** The rows of a result, typed by the builder's model if it has one. */
export type AnswerRow<A> = A extends string ? LooseRow : RowOf<A>;

/** An open workspace. Close it with `await using` or `[Symbol.asyncDispose]()`. */
export interface Sluice extends Session {
  /**
   * Runs a query. Without a limit, a local engine returns all rows, and a server returns 10,000 and notes it. The
   * `fill` of a saved query applies unless the options set one. Throws `InvalidInputError` (its message shows every
   * issue), `BackendError` (`answer-too-large` if the rows do not fit into memory; `write` streams them) and
   * `AbortedError`.
   */
  query<A extends Asked>(asked: A, options?: AskOptions): Promise<Result<AnswerRow<A> & object>>;
  /**
   * Runs a query and writes the result to a file, atomically, in a format of `writeResult`. Rows that need no fill are
   * streamed, so memory does not grow with their number. Resolves with the source and the number of rows. Throws the
   * errors of `query`.
   */
  write(asked: Asked, file: string, options?: AskOptions & WriteOptions): Promise<Provenance>;
  /**
   * Runs a funnel of the workspace, by its name or file name, or the given one. Returns one row per step with
   * conversion, drop-off and, on local engines, times to convert. With `trend`, returns these rows for each bucket.
   * Throws the errors of `query`.
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
   * Exports all events of a range, each once, to a folder with one file per window, or to a single file with the
   * extension of a format. After an interruption, the same call resumes. Resolves with a report; `outcome: 'partial'`
   * if some windows kept changing while they were fetched. Throws the errors of `query`, and `ExportError`.
   */
  export(to: string, options: ExportOptions): Promise<ExportReport>;
  /** Returns what a query would run: one explanation for each range of a comparison. (`explain` explains a plan.) */
  explainQuery(asked: Asked, options?: AskOptions): Promise<readonly Explanation[]>;
  /** Runs a load body and returns the response of the platform's API, including its errors. */
  load(
    body: unknown,
    options?: { readonly queryType?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<LoadAnswer>;
}
