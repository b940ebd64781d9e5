import type { FillMode } from '../../../ask/query/saved-query.ts';
import type { AnswerFlags } from './answer-flags.ts';
import type { RecordFormat } from './flag-values.ts';

// The flags of each command in addition to `GlobalFlags`, as commander returns them.

export interface QueryFlags extends AnswerFlags {
  readonly measure?: readonly string[];
  readonly dimension?: readonly string[];
  readonly time?: readonly string[];
  readonly range?: string;
  readonly where?: readonly string[];
  readonly segment?: readonly string[];
  readonly order?: readonly string[];
  readonly limit?: string;
  readonly offset?: string;
  readonly timezone?: string;
  readonly total?: boolean;
  readonly ungrouped?: boolean;
  readonly fill?: FillMode;
  readonly fillWith?: string;
  readonly explain?: boolean;
  readonly allSaved?: boolean;
  /** A switch for queries; the cell for analyses. */
  readonly users?: boolean | string;
}

/** Flags of commands that write emails. */
interface EmailFlags {
  readonly to?: readonly string[];
  readonly from?: string;
  readonly subject?: string;
}

export interface UsageFlags extends EmailFlags {
  readonly month?: string;
  readonly months?: string;
  readonly timezone?: string;
  readonly forecast?: boolean;
  readonly freeze?: boolean;
  readonly allowStale?: boolean;
  readonly format?: readonly string[];
  readonly output?: string;
  readonly withProvenance?: boolean;
}

export interface LoadFlags {
  readonly queryType: 'multi' | 'regular';
  readonly dryRun?: boolean;
}

export interface ModelFlags {
  readonly format?: 'text' | 'json' | 'ts' | 'yaml';
}

export interface SampleFlags {
  readonly count: number;
  readonly seed: number;
  readonly days?: number;
  readonly to: string;
  readonly vocabulary: 'documentation' | 'newer' | 'snowplow';
  readonly output?: string;
  /** The older name of `output`. */
  readonly out?: string;
  readonly ifMissing?: boolean;
}

export interface InitFlags {
  readonly group?: readonly string[];
  readonly timezone?: string;
  readonly tokenFile?: string;
  readonly tokenCommand?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
}

export interface DoctorFlags {
  readonly format?: 'text' | 'json';
}

/** Flags of `check` and `list` of every analysis. */
export interface AnalysisCheckFlags {
  readonly format?: 'text' | 'json';
  readonly strict?: boolean;
}

/** In addition to the flags that give a definition; see `definition-flags.ts`. */
export interface AnalysisRunFlags extends AnswerFlags {
  readonly range?: string;
  readonly timezone?: string;
  readonly where?: readonly string[];
  /** The cell or funnel step whose users to list. */
  readonly users?: string;
}

export interface FunnelRunFlags extends AnalysisRunFlags {
  readonly byEntry?: boolean;
  readonly trend?: 'day' | 'week' | 'month';
  readonly interval?: boolean;
}

export interface CohortListFlags {
  readonly format?: 'text' | 'json';
}

export interface CohortUsersFlags extends AnswerFlags {
  readonly timezone?: string;
}

export interface ReportCheckFlags {
  readonly format?: 'text' | 'json';
  readonly strict?: boolean;
}

export interface ReportListFlags {
  readonly format?: 'text' | 'json';
  readonly state?: string;
}

export interface ReportDiffFlags extends ReportListFlags {
  readonly param?: readonly string[];
}

export interface ReportNewFlags {
  readonly schedule?: string;
  readonly title?: string;
  readonly force?: boolean;
}

export interface ReportRunFlags extends EmailFlags {
  readonly param?: readonly string[];
  readonly format?: readonly string[];
  readonly output?: string;
  readonly force?: boolean;
  readonly due?: boolean;
  readonly deliver?: boolean;
  readonly state?: string;
}

export interface ReportScheduleFlags {
  readonly for: 'cron' | 'systemd' | 'gitlab';
  readonly state?: string;
}

export interface ServeFlags {
  readonly port: number;
  readonly bind: string;
  readonly tokenFile?: string;
  readonly cors?: readonly string[];
  readonly concurrency: number;
  readonly queue: number;
  /** Seconds. */
  readonly timeLimit: number;
  /** A size in DuckDB's format. */
  readonly memoryLimit?: string;
  readonly continueWait: number;
  /** `[HOST:]PORT`; true: the default. */
  readonly hooks?: string | true;
  readonly hooksOnly?: boolean;
  readonly hooksTokenFile?: string;
  readonly hooksTokenCommand?: string;
  readonly hooksSecretFile?: string;
  readonly hooksSecretCommand?: string;
  /** Bytes. */
  readonly hooksBodyLimit?: number;
  /** Seconds. */
  readonly hooksTolerance?: number;
}

export interface StoreStatsFlags {
  readonly format: 'table' | 'json';
}

export interface IngestFlags {
  readonly to?: 'clickhouse';
}

export interface ClickHouseInitFlags {
  readonly apply?: boolean;
}

export interface StorePruneFlags {
  readonly before: string;
  readonly dryRun?: boolean;
}

export interface StoreForgetFlags {
  readonly ids?: string;
  readonly dryRun?: boolean;
}

export interface ExportFlags {
  readonly range?: string;
  readonly sinceLast?: boolean;
  readonly recheck?: true | 'contents';
  readonly dimension?: readonly string[];
  readonly without?: readonly string[];
  readonly cube?: string;
  readonly timezone?: string;
  /** Milliseconds. */
  readonly watermark?: number;
  readonly output?: string;
  readonly format?: 'ndjson' | 'json' | 'csv' | 'parquet';
  readonly pack?: 'gzip' | 'zstd';
  readonly expand?: boolean;
  readonly safeCsv?: boolean;
  readonly concurrency: number;
  readonly summary?: 'json';
  readonly dryRun?: boolean;
  readonly explain?: boolean;
  readonly verify?: boolean;
}

export interface ExploreFlags {
  readonly screenReader?: boolean;
  readonly mouse?: boolean;
}

export interface ApiListFlags {
  readonly format: RecordFormat;
}

export interface SyncFlags {
  readonly group?: readonly string[];
  readonly epic?: readonly number[];
  readonly since?: string;
  readonly tokenFile?: string;
}

/** In addition to the flags of the parameters. */
export interface ApiFlags {
  readonly param?: readonly string[];
  readonly format?: RecordFormat;
  readonly output?: string;
  readonly reveal?: boolean;
  readonly all?: boolean;
  readonly follow?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly tokenFile?: string;
}
