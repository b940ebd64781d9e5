import type { Outcome } from '../ask/outcome.ts';
import type { CanonicalQuery, Query } from '../ask/query/query.ts';
import type { Explanation } from '../run/backend.ts';
import type { IngestReport } from '../run/store/ingest-report.ts';
import type { SyncedList } from './platform/sync.ts';
import type { SyncOptions } from './library/platform.ts';
import type { PlatformApi } from '../run/platform/api/platform-api.ts';
import type { Provenance } from '../shape/result/provenance.ts';
import type { Result } from '../shape/result/result.ts';
import type { AnalysisName } from '../plan/analysis/analysis-names.ts';
import type {
  GivenFunnel,
  GivenLifecycle,
  GivenPaths,
  GivenRetention,
  GivenStickiness,
  LifecycleRow,
  PathsRow,
  RetentionRow,
  StickinessRow,
} from './analysis/given.ts';
import type { LoadAnswer } from './answer/load.ts';
import type { ExportReport } from './export/export-options.ts';
import type { VerifyReport } from '../run/export/verify-export.ts';
import type { AnalysisCell, AnalysisOptions, Cohorts } from './library/analyses.ts';
import type { FunnelOptions, LoadCallOptions } from './library/ask.ts';
import type { Definitions, ModelView, Saved } from './library/definitions.ts';
import type { DrillOptions } from './library/drill.ts';
import type { ExportCallOptions, ExportPlan, VerifyCallOptions } from './library/exports.ts';
import type { Asked, AskOptions, LineOf, RowAs, RowOptions, RowsAsked, Times } from './library/options.ts';
import type { ReportHandle, ReportOptions, Reports } from './library/reports.ts';
import type { ServeOptions, ServerHandle } from './library/serve.ts';
import type { ClickHouse } from './library/clickhouse.ts';
import type { IngestOptions, Store } from './library/store.ts';
import type { RowStream } from './library/stream.ts';
import type { UsageAnswer, UsageOptions } from './library/usage.ts';
import type { WriteOptions } from './output/write-result-file.ts';

/**
 * sluice, opened: ask it, and close it by `await using` or `close()`. Relative paths start at the workspace. Every
 * function throws `SluiceError` `closed` after that, `AbortedError` if its signal fires or sluice is closed while it
 * works, and `InvalidInputError` for options that it does not have. An error's `code`, `kind` and `retryable` are for
 * programs; its `hint` says what to do.
 */
export interface Sluice extends AsyncDisposable {
  /** What can be asked. It may grow when a server or the events turn out to know more names. */
  readonly model: ModelView;

  /**
   * Answers a question with all of its rows. A local engine gives all if the query names no limit; a server gives
   * 10,000, and the answer says so. A saved query's own `fill` applies if the options set none. Throws
   * `InvalidInputError` (its message shows every issue), `BackendError` (`answer-too-large` if the rows do not fit into
   * memory: `stream` or `write` them; `incomplete-answer` with `strict`; `events-not-found`, and those of the backend).
   * Rows of one line are loose, or of the type that you give: `s.query<{ 'TrackedEvents.count': number }>('count')`.
   *
   * ```ts
   * const result = await s.query('pageViewsCount uniqueUsersCount by docPath last 30 days top 10');
   * for (const row of result.rows()) console.log(row['TrackedEvents.docPath'], row['TrackedEvents.uniqueUsersCount']);
   * ```
   */
  query<Row extends object = never>(asked: LineOf<Row>, options?: AskOptions & RowOptions): Promise<Result<Row>>;
  query<A extends Asked, As extends Times = 'text', Ranges extends 'stacked' | 'beside' = 'stacked'>(
    asked: A,
    options?: RowsAsked<As, Ranges>,
  ): Promise<Result<RowAs<A, As, Ranges> & object>>;
  /**
   * Answers a question row by row, from the disk of the engine, so that memory does not grow with their number: `for
   * await (const row of s.stream('…'))`. Rows that must be filled or compared, and those of a server, are at hand as a
   * whole first. A loop that ends early lets go of the answer. Throws as `query`, when the first row is read.
   *
   * ```ts
   * for await (const row of s.stream('count by userId, utcTime.day')) console.log(row);
   * ```
   */
  stream<Row extends object = never>(asked: LineOf<Row>, options?: AskOptions & RowOptions): RowStream<Row>;
  stream<A extends Asked, As extends Times = 'text', Ranges extends 'stacked' | 'beside' = 'stacked'>(
    asked: A,
    options?: RowsAsked<As, Ranges>,
  ): RowStream<RowAs<A, As, Ranges>>;
  /**
   * Answers a question into a file, which appears whole or not at all; the formats are those of `writeResult`. Rows
   * that need no fill are written piece by piece, and memory does not grow with their number. Resolves with where the
   * rows come from, and how many there are. Throws as `query`, and `SluiceError` (`file-unwritable`, `disk-full`).
   */
  write(asked: Asked, file: string, options?: AskOptions & WriteOptions): Promise<Provenance>;
  /**
   * The query whose rows make up one row of a result: filters for the row's groups, nulls too, and the exact range of
   * its time bucket. `row` is one of `result.rows()`, its number, or an object with the values of all groups. What an
   * additive measure gives there adds up to the row. Throws `InvalidInputError` (`not-drillable` for a row of a
   * comparison, and for the row of all other groups; `wrong-argument`), and the errors of `query`.
   *
   * ```ts
   * const result = await s.query('count by day, docPath last 7 days');
   * const pages = await s.query(await s.drill(result, result.rows()[0]!, { by: ['referer'] }));
   * ```
   */
  drill<Row extends object>(result: Result<Row>, row: NoInfer<Row> | number, options?: DrillOptions): Promise<Query>;
  /** What would be run for a question: an explanation for each range of a comparison. Throws as `query`. */
  explain(asked: Asked, options?: AskOptions): Promise<readonly Explanation[]>;
  /** The query of a question in one line, or all that is wrong with it, with places in the line. */
  parse(line: string): Promise<Outcome<Query>>;
  /** The canonical form of a question with its warnings, or all that is wrong with it. Nothing is run. */
  validate(
    asked: Asked,
    options?: Pick<AskOptions, 'asOf' | 'timezone' | 'limits' | 'project'>,
  ): Promise<Outcome<CanonicalQuery>>;
  /**
   * Answers a load body (`{query, queryType?}`) as the platform's API does: mistakes in it are the answer's status 400.
   * What goes wrong with the backend is thrown, as by `query`.
   */
  load(body: unknown, options?: LoadCallOptions): Promise<LoadAnswer>;

  /** The saved queries of the workspace. */
  readonly saved: Saved;
  /** The funnel files of the workspace. */
  readonly funnels: Definitions<'funnel'>;
  /** The files of any analysis in the workspace: `s.definitions('retention').check()`. */
  definitions<Name extends AnalysisName>(analysis: Name): Definitions<Name>;
  /** The cohorts of the workspace. */
  readonly cohorts: Cohorts;
  /**
   * Runs a funnel of the workspace, by its name or file name, or the given one. Returns one row per step with
   * conversion, drop-off and, on local engines, times to convert; with `trend`, these rows for each bucket. Throws the
   * errors of `query`, and `funnel-not-local` for what only local engines can do.
   *
   * ```ts
   * const funnel = await s.funnel({ steps: ['/pricing', 'signup'], within: '7 days' });
   * console.log(await toTable(funnel));
   * ```
   */
  funnel(funnel: string | GivenFunnel, options?: FunnelOptions): Promise<Result>;
  /**
   * Runs a retention of the workspace, by its name or file name, or the given one. Returns one row per cohort and
   * period: the size of the cohort, the users who came back, and their percentage. Throws the errors of `query`.
   *
   * ```ts
   * const retention = await s.retention({ period: 'week', periods: 8 });
   * for (const row of retention.rows()) console.log(row['retention.period'], row['retention.rate']);
   * ```
   */
  retention<const Given extends string | GivenRetention>(
    retention: Given,
    options?: AnalysisOptions,
  ): Promise<Result<RetentionRow<Given> & object>>;
  /** The same for a lifecycle: one row per period and status, with its users. */
  lifecycle<const Given extends string | GivenLifecycle>(
    lifecycle: Given,
    options?: AnalysisOptions,
  ): Promise<Result<LifecycleRow<Given> & object>>;
  /** The same for a stickiness: one row per number of periods, with its users. */
  stickiness<const Given extends string | GivenStickiness>(
    stickiness: Given,
    options?: AnalysisOptions,
  ): Promise<Result<StickinessRow<Given> & object>>;
  /** The same for paths: one row per edge from step to step, the heaviest first. */
  paths<const Given extends string | GivenPaths>(
    paths: Given,
    options?: AnalysisOptions,
  ): Promise<Result<PathsRow<Given> & object>>;
  /** The same for any analysis. A given definition is what its file has below its key. */
  analysis(analysis: AnalysisName, definition: string | object, options?: AnalysisOptions): Promise<Result>;
  /**
   * The users behind a question, or behind a cell of an analysis (a row of its answer, or the values that tell it
   * apart: `{cohort: '2024-W09', period: 1}`). Returns one row per user: `user`, `userKind` (`anonymous` or `known`)
   * and what the user adds to the question's measures; users who add nothing are left out. Local engines only. Throws
   * the errors of `query`, and `BackendError` `users-not-local`. The users of a funnel's step (`{step: 2}`) are those
   * who reached it.
   *
   * ```ts
   * const users = await s.users('pageViewsCount where docPath = /pricing last 7 days');
   * console.log(users.rows().map((row) => row['user']));
   * ```
   */
  users(asked: Asked, options?: AskOptions): Promise<Result>;
  users(asked: AnalysisCell, options?: AnalysisOptions): Promise<Result>;

  /**
   * A report of the workspace, by its name or file: run, check, deliver or schedule it.
   *
   * ```ts
   * const { status, files } = await s.report('weekly-overview').run({ formats: ['html'], to: 'out' });
   * ```
   */
  report(name: string, options?: ReportOptions): ReportHandle;
  /** All reports of the workspace. */
  readonly reports: Reports;
  /**
   * Counts the events of months, project by project. Throws `InvalidInputError` (`unknown-group`, `no-groups`,
   * `cannot-freeze`), that of a project if all fail, and `BackendError` `incomplete-answer` with `strict`.
   */
  usage(options?: UsageOptions): Promise<UsageAnswer>;

  /**
   * Exports all events of a range to a folder, a file a window, or to a single file whose name ends as a format's. Each
   * event once; stopped at any moment, the same call goes on. Resolves with what came of it, also if some windows
   * changed again and again while they were fetched (`outcome: 'partial'`) or another process is at it (`locked`).
   * Throws as `query`, and `ExportError`.
   *
   * ```ts
   * const { outcome, events } = await s.export('exports/2026', { range: '2026-01-01..2026-06-30' });
   * ```
   */
  export(to: string, options: ExportCallOptions): Promise<ExportReport>;
  /** The windows that `export` would fetch. Events are counted, and nothing is written. Throws as `export`. */
  planExport(to: string, options: ExportCallOptions): Promise<ExportPlan>;
  /**
   * Compares an export with its manifests, byte by byte. `findings` is empty if all is as they say. Throws
   * `ExportError` (`no-export`, `export-record-unreadable`).
   */
  verifyExport(place: string, options?: VerifyCallOptions): Promise<VerifyReport>;

  /**
   * Loads event files (paths, patterns, addresses) into the store, each once. A file that cannot be loaded has an
   * `error` in the report, and the others are loaded. Throws `BackendError` (`events-not-found`, `store-unwritable`),
   * and `InvalidInputError` if a file has columns that nothing names, unless `onUnmapped` accepts the proposal.
   */
  ingest(files: string | readonly string[], options?: IngestOptions): Promise<IngestReport>;
  /** The event store of the workspace. */
  readonly store: Store;
  /** The table of events on the ClickHouse server of the workspace. */
  readonly clickhouse: ClickHouse;
  /**
   * Serves the platform's and Cube's HTTP APIs over local events until the handle or sluice is closed; with `hooks`, it
   * also receives webhooks. Throws `ConfigError` (`token-needed`, `port-in-use`, `address-not-usable`, `not-a-token`,
   * `not-an-origin`, `hook-secret-needed`, `hook-secret-invalid`) and `SluiceError` (`listener-taken`,
   * `file-unwritable`).
   */
  serve(options?: ServeOptions): Promise<ServerHandle>;

  /**
   * The operations of the platform that the configuration names, each with the parameters of the platform's API. A list
   * is its first page if awaited, and all pages if iterated; `withResponse()` gives status and headers. Calls throw
   * `InvalidInputError` for parameters, `ApiError` for what the platform refuses (`partly-failed` for a success with
   * failure inside), and the errors of the connection.
   *
   * ```ts
   * for await (const { title, due_date } of s.platform.milestones.list({ id: 'acme/shop', state: 'active' }))
   *   console.log(title, due_date);
   * ```
   */
  readonly platform: PlatformApi;
  /**
   * Brings commits, tags, milestones, activity, webhook deliveries and more from the platform into the workspace, where
   * questions ask them as cubes: `Commits.count by Commits.author`. Only what changed is written; a list that fails
   * does not stop the others, and has its `error`. Throws `ConfigError` (`platform-not-configured`), `BackendError`
   * (`token-missing`), `InvalidInputError` (`unknown-cube`, `nothing-to-sync`) and `SluiceError` `sync-running`.
   */
  sync(options?: SyncOptions): Promise<readonly SyncedList[]>;

  /** Ends what is going on, closes streams and servers, and removes temporary files. The same as `await using`. */
  close(): Promise<void>;
}
