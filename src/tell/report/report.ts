import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartPreference } from '../../ask/chart/chart-preference.ts';
import type { ErrorKind } from '../../ask/error-codes.ts';
import type { Value } from '../../plan/column.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { CellKind, Severity } from '../notebook/cell-kinds.ts';

/** A notebook, answered: all that a page, a letter or a file of it shows, and nothing that varies from run to run. */
export interface Report {
  /** Name of the notebook's file, without folder and ending. */
  readonly name: string;
  /** The title, with its parameters filled in. */
  readonly title: string;
  /** The description of the front matter. */
  readonly description?: string | undefined;
  /** The subject of its letters, with figures filled in; undefined: the title. */
  readonly subject?: string | undefined;
  /** The parameters with their values, in the order of the file. */
  readonly params: readonly ReportParam[];
  /** The present that relative phrases were read against: ISO instant. */
  readonly asOf: string;
  /** Canonical IANA name of the zone of the notebook's days. */
  readonly zone: string;
  /** Prose, answers, checks and failures, in the order of the file. */
  readonly blocks: readonly ReportBlock[];
  /** Whether everything was answered, and every check passed. */
  readonly status: ReportStatus;
  /** Set in a notice: it tells of one alert, or of the schedule, and not of all that the report shows. */
  readonly notice?: ReportNotice | undefined;
}

/** What a notice tells. */
export interface ReportNotice {
  /** `cell: condition` of an alert, or `schedule`. */
  readonly about: string;
  /** `late` and `failed` are those of a schedule. */
  readonly state: 'raised' | 'clear' | 'late' | 'failed';
  /** The figure of an alert. */
  readonly value: Value;
}

/** `failed-cell`: something could not be answered; `failed-check`: everything was, and an expectation does not hold. */
export type ReportStatus = 'good' | 'failed-check' | 'failed-cell';

export interface ReportParam {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export type ReportBlock = ReportProse | ReportCell | ReportChecks | ReportFailure;

/** Markdown with its quotes filled in; what they hold is escaped, so that it reads as it is. */
export interface ReportProse {
  readonly kind: 'prose';
  readonly markdown: string;
  readonly figures: readonly ReportFigure[];
}

/** One number or word that prose quotes or a check judges, with where it comes from. */
export interface ReportFigure {
  /** As written: `page_views.total`. */
  readonly path: string;
  /** As people read it, not escaped. */
  readonly text: string;
  /** Null: there is none, or its cell failed. */
  readonly value: Value;
  /** Where it comes from; undefined for a parameter, and where its cell failed. */
  readonly provenance?: SteadyProvenance | undefined;
}

/** The answer of a cell. */
export interface ReportCell {
  readonly kind: 'cell';
  readonly cell: Exclude<CellKind, 'annotations' | 'check'>;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** In the order in which they are shown; empty where the cell shows nothing and only serves others. */
  readonly parts: readonly ReportPart[];
  /** Whole sentences below the cell, beyond those that its results carry. */
  readonly footnotes: readonly string[];
  /** What is missing in it, in whole sentences: it counts as failed in part. */
  readonly failures: readonly string[];
  /** What stands before the figures like failures, and fails nothing; left out where there is none. */
  readonly alerts?: readonly string[] | undefined;
  /** Its data end before its range does. */
  readonly stale?: boolean | undefined;
  /** What it is watched for, in the order of the file; left out where that is nothing. */
  readonly watched?: readonly ReportAlert[] | undefined;
}

/** A condition that somebody is notified of when it begins to hold, and when it no longer does. */
export interface ReportAlert {
  /** As written: `change < -20%`. */
  readonly condition: string;
  /** `unknown`: the data are partial, stale or too few, so that nothing follows from them. */
  readonly state: 'raised' | 'clear' | 'unknown';
  /** The figure as people read it; empty where there is none. */
  readonly text: string;
  readonly value: Value;
  /** What was found, in a sentence. */
  readonly finding: string;
  readonly because?: string | undefined;
}

/** Each part shows one Result, whose provenance tells range, zone, truncation, partial buckets and source. */
export type ReportPart =
  | {
      readonly kind: 'table';
      /** The result that this table lays out, if it is another one. */
      readonly of?: Result | undefined;
      readonly result: Result;
      readonly title?: string | undefined;
    }
  | {
      readonly kind: 'chart';
      readonly result: Result;
      readonly title?: string | undefined;
      readonly preference?: ChartPreference | undefined;
      readonly annotations: readonly Annotation[];
    }
  /** One row, a figure a measure. */
  | {
      readonly kind: 'stats';
      readonly result: Result;
      readonly title?: string | undefined;
      readonly stats: readonly ReportStat[];
    };

export interface ReportStat {
  readonly label: string;
  readonly text: string;
  readonly value: Value;
  /** How much of its whole it is, in percent: drawn as a bar. */
  readonly gauge?: number | undefined;
  /** What is to be known with it, in a few words. */
  readonly note?: string | undefined;
  /** Against the earlier range of a comparison. */
  readonly previous?:
    | {
        readonly text: string;
        readonly label: string;
        readonly changePercent: string;
      }
    | undefined;
}

/** What a check cell expected. */
export interface ReportChecks {
  readonly kind: 'checks';
  readonly title?: string | undefined;
  readonly checks: readonly ReportCheck[];
}

export interface ReportCheck {
  /** `unknown`: its figure could not be had. */
  readonly state: 'passed' | 'failed' | 'unknown';
  /** What a failure means; left out for `warn`. */
  readonly severity?: Exclude<Severity, 'warn'> | undefined;
  /** What was expected: `page_views.total is at least 1`. */
  readonly expectation: string;
  /** What was found, in a sentence. */
  readonly finding: string;
  readonly because?: string | undefined;
}

/** A cell that could not be answered, in its place. */
export interface ReportFailure {
  readonly kind: 'failure';
  readonly cell: CellKind;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  /** Stable: the code of the error, or of the issue with the text of the cell. */
  readonly code: string;
  readonly errorKind: ErrorKind;
  /** What went wrong, in plain text of one or more lines. */
  readonly message: string;
  readonly hint?: string | undefined;
  /** Where in the notebook, for what is wrong with its text; both count from 1. */
  readonly place?: { readonly line: number; readonly column: number } | undefined;
}
