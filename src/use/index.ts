/** The entry point `sluice`: everything that a program can do. Heavy parts, such as the engine, load on first use. */
export { open } from './open.ts';
export type { Sluice } from './sluice.ts';
export type {
  AnswerRow,
  Asked,
  AskOptions,
  ComparedRow,
  DatedRow,
  EventObject,
  EventRow,
  LineOf,
  LooseRowAs,
  LooseDatedRow,
  OpenOptions,
  RowAs,
  RowOptions,
  RowsAsked,
  TimeAs,
  Times,
  TimesAsked,
  Token,
  ZonedTime,
} from './library/options.ts';
export type { AsOf } from './process/as-of.ts';
export { doctor, jsonSchema, sample } from './library/standalone.ts';
export type { Diagnosis, DoctorOptions, SampleOptions } from './library/standalone.ts';
export type { SchemaName } from './model/json-schemas.ts';
export { platform } from './library/platform.ts';
export type { SyncOptions } from './library/platform.ts';
export type { SyncedList, SyncRequest } from './platform/sync.ts';
export type { PlatformClient, PlatformClientOptions } from './library/platform.ts';
export type {
  Answering,
  ApiResponse,
  CallOptions,
  DownloadCallOptions,
  FollowOptions,
  Listing,
  PlatformApi,
} from '../run/platform/api/platform-api.ts';
export { init } from './library/init.ts';
export type { InitAnswer, InitOptions } from './library/init.ts';
export type { AnalysisCell, AnalysisOptions, CellUsersOptions, Cohorts } from './library/analyses.ts';
export type { SizedCohort } from './cohort/cohorts.ts';
export type { FunnelOptions, LoadCallOptions } from './library/ask.ts';
export type { CheckedFile, Definitions, Listed, ModelView, Saved } from './library/definitions.ts';
export type { DrillOptions } from './library/drill.ts';
export type { ExportCallOptions, ExportPlan, VerifyCallOptions } from './library/exports.ts';
export type {
  DueAnswer,
  CreateReportOptions,
  DueOptions,
  ReportAnswer,
  ReportHandle,
  ReportOptions,
  Reports,
  RunReportOptions,
  ScheduleOptions,
} from './library/reports.ts';
export type { HookOptions, ServeOptions, ServerHandle } from './library/serve.ts';
export type { ReceivedHook } from './server/hooks/hook-options.ts';
export type { LoadProgress, LoadReport } from '../run/clickhouse/load-store.ts';
export type { ClickHouse, CreateTableOptions, LoadStoreOptions } from './library/clickhouse.ts';
export type { IngestOptions, Store, StoreChange } from './library/store.ts';
export type { RowStream } from './library/stream.ts';
export type { UsageAnswer, UsageOptions } from './library/usage.ts';
export type {
  GivenEvents,
  GivenFunnel,
  GivenLifecycle,
  GivenRetention,
  GivenPaths,
  GivenStickiness,
  LifecycleRow,
  RetentionRow,
  PathsRow,
  StickinessRow,
} from './analysis/given.ts';
export type { AnalysisName } from '../plan/analysis/analysis-names.ts';
export type { AnswerOptions } from './answer/answer-question.ts';
export type { AnswerNote, NoteListener } from './answer/tell-notes.ts';
export type { ExportOptions, ExportReport, ExportStage } from './export/export-options.ts';
export type { VerifyOptions } from './export/verify-place.ts';
export type { VerifyReport } from '../run/export/verify-export.ts';
export type { LoadAnswer } from './answer/load.ts';
export type { RunFunnelOptions } from './funnel/run-funnel.ts';
export type { UnmappedFile } from './setup/proposed-columns.ts';
export type { CheckedReport } from './report/run/check-reports.ts';
export type { ComparedRun, ReportDifference } from './report/run/diff-report.ts';
export type { FigureChange, FigureComparison } from '../tell/report/compare-figures.ts';
export type { ListedReport, ReportResult } from './report/run/list-states.ts';
export type { Scheduler } from './report/run/schedule-report.ts';
export type { MadeSample } from './sample/make-sample.ts';
export type { ServedRequest } from './server/running-server.ts';
export type { Finding } from './setup/check.ts';
export type { IngestedFile, IngestProgress, IngestReport } from '../run/store/ingest-report.ts';
export type { Report } from '../tell/report/report.ts';
export { writeResult } from './output/write-result-file.ts';
export type { WriteOptions } from './output/write-result-file.ts';
export { toArrow, toCsv, toHtml, toMarkdown, toParquet, toTable, toXlsx } from './library/to-text.ts';
export type { ArrowOptions, TableOptions } from './library/to-text.ts';
export type { FormatName, ReportFormat } from '../show/format-name.ts';
export { toChart, toPng, toSvg, toText, toVegaLite } from './chart/library.ts';
export type { Drawable, PictureOptions, TextOptions } from './chart/library.ts';
export type { Chart } from '../show/chart/chart.ts';
export type { ToChartOptions } from '../show/to-chart.ts';
export type { VegaLiteSpec } from '../show/chart/chart.ts';
export type { Annotation } from '../ask/chart/annotation.ts';
export type { ChartKind, ChartPreference } from '../ask/chart/chart-preference.ts';
export { pivot, select, share, totals, withOther } from './library/arrange.ts';
export type { PivotedRow, PivotShape, ShareOptions, WithShares } from './library/arrange.ts';
export { version } from './workspace/version.ts';

export { query, queryFrom } from '../ask/query/builder.ts';
export type { Queryable, QueryBuilder, RowOf } from '../ask/query/builder.ts';
export type { BuiltInModel } from '../ask/query/built-in-types.ts';
export type { AnyModel, LooseRow, ModelTypes, RowValue, UsualModel } from '../ask/query/model-types.ts';
export type {
  CanonicalQuery,
  DateRangeText,
  Filter,
  FilterOperator,
  FilterValue,
  MemberFilter,
  OrderDirection,
  Query,
  TimeDimension,
} from '../ask/query/query.ts';
export type { FillMode, SavedQuery } from '../ask/query/saved-query.ts';
export type { Granularity } from '../ask/time/granularity.ts';
export { readSavedQuery, writeSavedQuery } from './answer/saved-query-text.ts';

export { errorCodes } from '../ask/error-codes.ts';
export type { ErrorKind, SluiceErrorCode } from '../ask/error-codes.ts';
export { AbortedError, BackendError, ConfigError, InvalidInputError, SluiceError } from '../ask/sluice-error.ts';
export { ApiError, HttpError } from '../run/http/http-error.ts';
export { ExportError } from '../run/export/rows/export-error.ts';
export type { Issue, Outcome, Span } from '../ask/outcome.ts';

export type { Model } from '../plan/model/model.ts';
export type { Column, Value } from '../plan/column.ts';
export type { Explanation, RejectedLine, RejectedLines } from '../run/backend.ts';
export { reviveResult } from '../shape/result/result.ts';
export type { AnyRow, Result } from '../shape/result/result.ts';
export type { MarkedRows, PlainResult } from '../shape/result/plain-result.ts';
export type { Marks } from '../shape/result/marks.ts';
export type { Provenance } from '../shape/result/provenance.ts';
