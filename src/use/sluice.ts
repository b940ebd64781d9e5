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
  KnownKeys,
  LifecycleRow,
  PathsRow,
  RetentionRow,
  StickinessRow,
} from './analysis/given.ts';
import type { LoadAnswer } from './answer/load.ts';
import type { ExportReport } from './export/export-options.ts';
import type { VerifyReport } from '../run/export/verify-export.ts';
import type { AnalysisCell, AnalysisOptions, CellUsersOptions, Cohorts } from './library/analyses.ts';
import type { FunnelOptions, LoadCallOptions } from './library/ask.ts';
import type { Definitions, ModelView, Saved } from './library/definitions.ts';
import type { DrillOptions } from './library/drill.ts';
import type { ExportCallOptions, ExportPlan, VerifyCallOptions } from './library/exports.ts';
import type {
  Asked,
  AskOptions,
  LineOf,
  LooseRowAs,
  RowAs,
  RowOptions,
  RowsAsked,
  TimeAs,
  Times,
  TimesAsked,
} from './library/options.ts';
import type { ReportHandle, ReportOptions, Reports } from './library/reports.ts';
import type { ServeOptions, ServerHandle } from './library/serve.ts';
import type { ClickHouse } from './library/clickhouse.ts';
import type { IngestOptions, Store } from './library/store.ts';
import type { RowStream } from './library/stream.ts';
import type { UsageAnswer, UsageOptions } from './library/usage.ts';
import type { WriteOptions } from './output/write-result-file.ts';

/**
 * An open workspace, created by `open`. Close it with `close()` or `await using`. Relative paths start at the workspace
 * folder. All functions throw `SluiceError` `closed` after closing, `AbortedError` if their signal fires or sluice
 * closes while they run, and `InvalidInputError` for unknown options. Programs should check an error's `code`, `kind`
 * and `retryable`; its `hint` tells people what to do.
 */
export interface Sluice extends AsyncDisposable {
  /**
   * The measures, dimensions and segments that questions can use. The model can grow when a server or the events turn
   * out to have more of them.
   */
  readonly model: ModelView;

  /**
   * Answers a question and returns all its rows. If the query has no limit, local engines return every row; servers
   * return up to 10,000 rows, and the result says if it was cut off. A saved query's own `fill` applies unless the
   * options set one. Throws `InvalidInputError` (the message shows every issue) and `BackendError`: `answer-too-large`
   * if the rows do not fit into memory (use `stream` or `write`), `incomplete-answer` with `strict`,
   * `events-not-found`, and errors of the backend. Rows of a question in one line are loosely typed unless you pass a
   * type: `s.query<{ 'TrackedEvents.count': number }>('count')`.
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
   * Answers a question and yields its rows one by one. Local engines read the rows from disk, so memory use does not
   * grow with their number. Rows that must be filled or compared, and rows from a server, are loaded into memory first.
   * Ending the loop early releases the answer. Throws the errors of `query` when the first row is read.
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
   * Answers a question and writes it to a file, atomically. The formats are those of `writeResult`. Rows that need no
   * fill are written in batches, so memory use does not grow with their number. Returns the provenance of the rows,
   * including their number. Throws the errors of `query`, and `SluiceError` (`file-unwritable`, `disk-full`).
   */
  write(asked: Asked, file: string, options?: AskOptions & WriteOptions): Promise<Provenance>;
  /**
   * Returns the query that breaks down one row of a result. It filters by the row's groups (including nulls) and by the
   * exact range of its time bucket, so additive measures sum up to the row. `row` is an element of `result.rows()`, its
   * index from 0, or an object with the values of all groups. Throws `InvalidInputError` (`not-drillable` for a row of
   * a comparison or the row of all other groups, `wrong-argument`) and the errors of `query`.
   *
   * ```ts
   * const result = await s.query('count by day, docPath last 7 days');
   * const pages = await s.query(await s.drill(result, result.rows()[0]!, { by: ['referer'] }));
   * ```
   */
  drill<Row extends object>(result: Result<Row>, row: NoInfer<Row> | number, options?: DrillOptions): Promise<Query>;
  /**
   * Returns what would run for a question, without running it: one explanation for each range of a comparison. Throws
   * the errors of `query`.
   */
  explain(asked: Asked, options?: AskOptions): Promise<readonly Explanation[]>;
  /** Parses a question in one line. Returns its query, or all issues with their positions in the line. */
  parse(line: string): Promise<Outcome<Query>>;
  /** Checks a question without running it. Returns its canonical query with warnings, or all issues. */
  validate(
    asked: Asked,
    options?: Pick<AskOptions, 'asOf' | 'timezone' | 'limits' | 'project' | 'signal'>,
  ): Promise<Outcome<CanonicalQuery>>;
  /**
   * Answers a load body (`{query, queryType?}`) as the platform's API does. Mistakes in the body give an answer with
   * status 400. Failures of the backend are thrown, as by `query`.
   */
  load(body: unknown, options?: LoadCallOptions): Promise<LoadAnswer>;

  /** The saved queries of the workspace. */
  readonly saved: Saved;
  /** The funnel files of the workspace. */
  readonly funnels: Definitions<'funnel'>;
  /** The definition files of one analysis in the workspace: `s.definitions('retention').check()`. */
  definitions<Name extends AnalysisName>(analysis: Name): Definitions<Name>;
  /** The cohorts of the workspace. */
  readonly cohorts: Cohorts;
  /**
   * Runs a funnel: one of the workspace, by its name or file name, or a definition given as an object. Returns one row
   * per step with conversion, drop-off and, on local engines, times to convert. With `trend`, returns these rows for
   * each time bucket. Throws the errors of `query`, and `funnel-not-local` if an option needs a local engine.
   *
   * ```ts
   * const funnel = await s.funnel({ steps: ['/pricing', 'signup'], within: '7 days' });
   * console.log(await toTable(funnel));
   * ```
   */
  funnel<As extends Times = 'text'>(
    funnel: string | GivenFunnel,
    options?: FunnelOptions & TimesAsked<As>,
  ): Promise<Result<LooseRowAs<As>>>;
  /**
   * Runs a retention analysis: one of the workspace, by its name or file name, or a definition given as an object.
   * Returns one row per cohort and period: the size of the cohort, the users who came back, and their percentage.
   * Throws the errors of `query`.
   *
   * ```ts
   * const retention = await s.retention({ period: 'week', periods: 8 });
   * for (const row of retention.rows()) console.log(row['retention.period'], row['retention.rate']);
   * ```
   */
  retention<const Given extends string | GivenRetention, As extends Times = 'text'>(
    retention: Given & KnownKeys<Given, GivenRetention>,
    options?: AnalysisOptions & TimesAsked<As>,
  ): Promise<Result<RetentionRow<Given, TimeAs<As>> & object>>;
  /**
   * Runs a lifecycle analysis, given as for `retention`. Returns one row per period and status, with its number of
   * users. Throws the errors of `query`.
   */
  lifecycle<const Given extends string | GivenLifecycle, As extends Times = 'text'>(
    lifecycle: Given & KnownKeys<Given, GivenLifecycle>,
    options?: AnalysisOptions & TimesAsked<As>,
  ): Promise<Result<LifecycleRow<Given, TimeAs<As>> & object>>;
  /**
   * Runs a stickiness analysis, given as for `retention`. Returns one row per number of active periods, with its number
   * of users. Throws the errors of `query`.
   */
  stickiness<const Given extends string | GivenStickiness>(
    stickiness: Given & KnownKeys<Given, GivenStickiness>,
    options?: AnalysisOptions,
  ): Promise<Result<StickinessRow<Given> & object>>;
  /**
   * Runs a paths analysis, given as for `retention`. Returns one row per edge from step to step, the most frequent
   * first. Throws the errors of `query`.
   */
  paths<const Given extends string | GivenPaths>(
    paths: Given & KnownKeys<Given, GivenPaths>,
    options?: AnalysisOptions,
  ): Promise<Result<PathsRow<Given> & object>>;
  /**
   * Runs any analysis by its name, such as `retention`. A definition given as an object has the keys that its file has
   * below the name of the analysis. Throws the errors of `query`.
   */
  analysis<As extends Times = 'text'>(
    analysis: AnalysisName,
    definition: string | object,
    options?: AnalysisOptions & TimesAsked<As>,
  ): Promise<Result<LooseRowAs<As>>>;
  /**
   * Lists the users behind a question, or behind a cell of an analysis. A cell is a row of the analysis result, or the
   * values that identify it: `{cohort: '2024-W09', period: 1}`. For a step of a funnel (`{step: 2}`), lists the users
   * who reached it. Rows of its trend, and rows by entry (pass `byEntry` again), also give `funnel.reached` and
   * `funnel.began`. Returns one row per user: `TrackedEvents.user`, `TrackedEvents.userKind` (`anonymous` or `known`)
   * and the user's contribution to the question's measures. Both names have the cube of the question or the name of
   * the analysis: `Sessions.user`, `funnel.user`. Users who contribute nothing are left out. Local engines only. Throws
   * the errors of `query`, and `BackendError` `users-not-local`.
   *
   * ```ts
   * const users = await s.users('pageViewsCount where docPath = /pricing last 7 days');
   * console.log(users.rows().map((row) => row['TrackedEvents.user']));
   * ```
   */
  users(asked: Asked, options?: AskOptions): Promise<Result>;
  users(asked: AnalysisCell, options?: CellUsersOptions): Promise<Result>;

  /**
   * Returns a handle for a report of the workspace, by its name or file, to run, check, deliver or schedule it.
   *
   * ```ts
   * const { status, files } = await s.report('weekly-overview').run({ formats: ['html'], to: 'out' });
   * ```
   */
  report(name: string, options?: ReportOptions): ReportHandle;
  /** All reports of the workspace. */
  readonly reports: Reports;
  /**
   * Counts the events of each project by month. Throws `InvalidInputError` (`unknown-group`, `no-groups`,
   * `cannot-freeze`), the error of a project if all projects fail, and `BackendError` `incomplete-answer` with
   * `strict`, or if the data end before a month to freeze does.
   */
  usage(options?: UsageOptions): Promise<UsageAnswer>;

  /**
   * Exports all events of a range, each event once, to a folder with one file per time window, or to a single file if
   * the path has the extension of a format. If an export is interrupted, the same call resumes it. The `outcome` of the
   * report is `partial` if some windows kept changing while they were fetched, and `locked` if another process is
   * exporting to the same place. Throws the errors of `query`, and `ExportError`.
   *
   * ```ts
   * const { outcome, events } = await s.export('exports/2026', { range: ['2026-01-01', '2026-06-30'] });
   * ```
   */
  export(to: string, options: ExportCallOptions): Promise<ExportReport>;
  /**
   * Returns the time windows that `export` would fetch, with the number of events in each. Writes nothing. Throws the
   * errors of `export`.
   */
  planExport(to: string, options: ExportCallOptions): Promise<ExportPlan>;
  /**
   * Verifies an export against its manifests, byte by byte. `findings` of the report is empty if everything matches.
   * Throws `ExportError` (`no-export`, `export-record-unreadable`).
   */
  verifyExport(place: string, options?: VerifyCallOptions): Promise<VerifyReport>;

  /**
   * Loads event files (paths, glob patterns, URLs) into the store. Files and events that the store already has are
   * skipped. If a file cannot be loaded, its entry in the report has an `error`, and the other files are loaded. Throws
   * `BackendError` (`events-not-found`, `store-unwritable`), and `InvalidInputError` if a file has unknown columns,
   * unless `onUnmapped` accepts the proposed mapping.
   */
  ingest(files: string | readonly string[], options?: IngestOptions): Promise<IngestReport>;
  /** The event store of the workspace. */
  readonly store: Store;
  /** The event table on the configured ClickHouse server. */
  readonly clickhouse: ClickHouse;
  /**
   * Serves the platform's and Cube's HTTP APIs over local events until the handle or sluice is closed. With `hooks`,
   * the server also receives webhooks. Throws `ConfigError` (`token-needed`, `port-in-use`, `address-not-usable`,
   * `not-a-token`, `not-an-origin`, `hook-secret-needed`, `hook-secret-invalid`) and `SluiceError` (`listener-taken`,
   * `file-unwritable`).
   */
  serve(options?: ServeOptions): Promise<ServerHandle>;

  /**
   * The operations of the configured platform. They take the parameters of the platform's API. Awaiting a list returns
   * its first page; iterating over it returns the items of all pages. `withResponse()` also returns the status and
   * headers. Calls throw `InvalidInputError` for invalid parameters, `ApiError` if the platform refuses the request
   * (`partly-failed` if a successful response reports a failure), and the errors of the connection.
   *
   * ```ts
   * for await (const { title, due_date } of s.platform.milestones.list({ id: 'acme/shop', state: 'active' }))
   *   console.log(title, due_date);
   * ```
   */
  readonly platform: PlatformApi;
  /**
   * Syncs commits, tags, milestones, activity, webhook deliveries and more from the platform into the workspace.
   * Questions can then use them as cubes: `Commits.count by Commits.author`. Writes only what changed. If a list fails,
   * it has an `error`, and the others are synced. Throws `ConfigError` (`platform-not-configured`), `BackendError`
   * (`token-missing`), `InvalidInputError` (`unknown-cube`, `nothing-to-sync`) and `SluiceError` `sync-running`.
   */
  sync(options?: SyncOptions): Promise<readonly SyncedList[]>;

  /** Aborts running calls, closes streams and servers, and removes temporary files. The same as `await using`. */
  close(): Promise<void>;
}
