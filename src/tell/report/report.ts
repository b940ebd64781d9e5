import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartPreference } from '../../ask/chart/chart-preference.ts';
import type { ErrorKind } from '../../ask/error-codes.ts';
import type { Value } from '../../plan/column.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { CellKind, Severity } from '../notebook/cell-kinds.ts';

/** An answered notebook: all that its page, email or file shows. It contains nothing that varies between runs. */
export interface Report {
  /** Name of the notebook's file, without folder and extension. */
  readonly name: string;
  /** The title, with its parameters filled in. */
  readonly title: string;
  /** The description of the front matter. */
  readonly description?: string | undefined;
  /** The subject of its emails, with figures filled in (default: the title). */
  readonly subject?: string | undefined;
  /** The parameters with their values, in the order of the file. */
  readonly params: readonly ReportParam[];
  /** Reference time of relative phrases: ISO instant. */
  readonly asOf: string;
  /** Canonical IANA name of the zone of the notebook's days. */
  readonly zone: string;
  /** Prose, answers, checks and failures, in the order of the file. */
  readonly blocks: readonly ReportBlock[];
  /** Whether everything was answered, and every check passed. */
  readonly status: ReportStatus;
  /** Set in a notice, which is about one alert or the schedule and not the whole report. */
  readonly notice?: ReportNotice | undefined;
}

/** The subject of a notice. */
export interface ReportNotice {
  /** `cell: condition` of an alert, or `schedule`. */
  readonly about: string;
  /** `late` and `failed` are states of a schedule. */
  readonly state: 'raised' | 'clear' | 'late' | 'failed';
  /** The figure of an alert. */
  readonly value: Value;
  /** What the notice says: sanitized paragraphs of plain text. Those of several lines are messages as they are. */
  readonly text?: readonly string[] | undefined;
}

/** `failed-cell`: a cell failed, at least in part; `failed-check`: no cell failed, but an expectation does not hold. */
export type ReportStatus = 'good' | 'failed-check' | 'failed-cell';

export interface ReportParam {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export type ReportBlock = ReportProse | ReportCell | ReportChecks | ReportFailure;

/** Markdown with its quotes filled in and escaped. */
export interface ReportProse {
  readonly kind: 'prose';
  readonly markdown: string;
  readonly figures: readonly ReportFigure[];
}

/** A number or word that prose quotes or a check judges, with its provenance. */
export interface ReportFigure {
  /** As written: `page_views.total`. */
  readonly path: string;
  /** Formatted, not escaped. */
  readonly text: string;
  /** Null if there is none, or its cell failed. */
  readonly value: Value;
  /** The provenance; undefined for a parameter, and if its cell failed. */
  readonly provenance?: SteadyProvenance | undefined;
}

/** The answer of a cell. */
export interface ReportCell {
  readonly kind: 'cell';
  readonly cell: Exclude<CellKind, 'annotations' | 'check'>;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** In display order; empty if the cell shows nothing and only serves other cells. */
  readonly parts: readonly ReportPart[];
  /** Sentences below the cell, in addition to the notes of its results. */
  readonly footnotes: readonly string[];
  /** Missing data, in sentences: the cell counts as partly failed. */
  readonly failures: readonly string[];
  /** Alerts shown before the figures that are not failures; omitted if there are none. */
  readonly alerts?: readonly string[] | undefined;
  /** Its data ends before its range. */
  readonly stale?: boolean | undefined;
  /** Its alerts in file order; omitted if there are none. */
  readonly watched?: readonly ReportAlert[] | undefined;
}

/** A condition with notices when it starts and stops to hold. */
export interface ReportAlert {
  /** As written: `change < -20%`. */
  readonly condition: string;
  /** `unknown`: the data is partial, stale or too little to decide. */
  readonly state: 'raised' | 'clear' | 'unknown';
  /** The figure, formatted; empty if there is none. */
  readonly text: string;
  readonly value: Value;
  /** The finding, as a sentence. */
  readonly finding: string;
  readonly because?: string | undefined;
}

/** Each part shows one Result. Its provenance has range, zone, truncation, partial buckets and source. */
export type ReportPart =
  | {
      readonly kind: 'table';
      /** The original result, if the table shows a rearranged one. */
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
  /** One row, with a figure per measure. */
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
  /** Percent of its whole: drawn as a bar. */
  readonly gauge?: number | undefined;
  /** A short note about it. */
  readonly note?: string | undefined;
  /** The earlier range of a comparison. */
  readonly previous?:
    | {
        readonly text: string;
        readonly label: string;
        /** Empty if there is none, such as if a range is incomplete. */
        readonly changePercent: string;
      }
    | undefined;
}

/** The expectations of a check cell. */
export interface ReportChecks {
  readonly kind: 'checks';
  readonly title?: string | undefined;
  readonly checks: readonly ReportCheck[];
}

export interface ReportCheck {
  /**
   * `unknown`: its figure is not available. `not-judged`: it compares nothing with nothing, because data are missing,
   * which the cell says.
   */
  readonly state: 'passed' | 'failed' | 'unknown' | 'not-judged';
  /** The effect of a failure; omitted for `warn`. */
  readonly severity?: Exclude<Severity, 'warn'> | undefined;
  /** The expectation: `page_views.total is at least 1`. */
  readonly expectation: string;
  /** The finding, as a sentence. */
  readonly finding: string;
  readonly because?: string | undefined;
}

/** A cell that could not be answered, in its place. */
export interface ReportFailure {
  readonly kind: 'failure';
  readonly cell: CellKind;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  /** A stable code: of the error, or of the issue with the text of the cell. */
  readonly code: string;
  readonly errorKind: ErrorKind;
  /** The error in plain text, one or more lines. */
  readonly message: string;
  readonly hint?: string | undefined;
  /** Position in the notebook, for issues with its text; both count from 1. */
  readonly place?: { readonly line: number; readonly column: number } | undefined;
}
