import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartPreference } from '../../ask/chart/chart-preference.ts';
import type { Issue } from '../../ask/outcome.ts';
import type { TableLayout } from '../../ask/query/saved-query.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import type { Column } from '../../plan/column.ts';
import type {
  CheckCell,
  CompareCell,
  Expectation,
  FunnelCell,
  Notebook,
  QueryCell,
  UsageCell,
} from '../notebook/notebook.ts';
import type { ParamValues } from '../notebook/params.ts';
import type { FigurePath, Quote } from '../notebook/quote.ts';
import type { Watch, WrittenAlert } from '../notebook/read-alert.ts';
import type { BoundCellFunnel, CellFunnel, CellQuestion } from '../ports.ts';

/** A notebook with parameters filled in, questions bound, and figures found. Nothing is asked yet. */
export interface PreparedReport {
  readonly notebook: Notebook;
  readonly title: string;
  readonly description?: string | undefined;
  /** The subject of emails. */
  readonly subject?: PreparedProse | undefined;
  readonly params: ParamValues;
  /** With the notebook's own zone. */
  readonly time: TimeContext;
  /** In the notebook's order. */
  readonly blocks: readonly PreparedBlock[];
  readonly annotations: readonly Annotation[];
  /** The alerts of its cells. */
  readonly alerts: readonly PreparedAlert[];
}

/** An alert of a named cell. */
export interface PreparedAlert {
  readonly cell: string;
  readonly written: WrittenAlert;
  readonly watch: Watch;
  /** For a band: every row. */
  readonly figure: BoundFigure;
}

export type PreparedBlock =
  | PreparedProse
  | PreparedQuestion
  | PreparedFunnel
  | PreparedUsage
  | PreparedCheck
  | PreparedFailure
  | { readonly kind: 'annotations' };

export interface PreparedProse {
  readonly kind: 'prose';
  readonly source: string;
  readonly quotes: readonly (Quote & { readonly figure: BoundFigure })[];
}

export interface PreparedQuestion {
  readonly kind: 'question';
  readonly content: QueryCell | CompareCell;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly chart?: ChartPreference | undefined;
  /** The layout of the table if the cell does not set one. */
  readonly table?: TableLayout | undefined;
  readonly question: CellQuestion;
  readonly facts: QuestionFacts;
  /** The question without breakdown, in one row, if a figure needs it. */
  readonly total?: CellQuestion | undefined;
  /** A figure is the total of the answer's rows. */
  readonly needsTotal?: boolean | undefined;
  /** The question for the total, used if the answer is truncated and its rows do not add up. */
  readonly spare?: CellQuestion | undefined;
  /** The total compared with the previous period, if a figure needs it. */
  readonly compared?: CellQuestion | undefined;
}

/** Facts about an answer that are known in advance. */
export interface QuestionFacts {
  /** The columns for one range; a comparison adds those of `shape/compare`. */
  readonly columns: readonly Column[];
  readonly isComparison: boolean;
  /** It has one row: no dimension and no time bucket. */
  readonly isWhole: boolean;
  /** It has all rows unless the default limit cuts it: the cell sets no limit and no offset. */
  readonly isComplete: boolean;
  /** Groups are filtered by measures, so the rows do not add up to a total. */
  readonly filtersGroups: boolean;
}

export interface PreparedFunnel {
  readonly kind: 'funnel';
  readonly content: FunnelCell;
  readonly funnel: CellFunnel;
  readonly facts: BoundCellFunnel;
}

export interface PreparedUsage {
  readonly kind: 'usage';
  readonly content: UsageCell;
}

/** A cell that cannot be asked because it names something unknown. */
export interface PreparedFailure {
  readonly kind: 'failure';
  readonly content: QueryCell | CompareCell | FunnelCell;
  /** The reasons, located in the notebook. */
  readonly issues: readonly Issue[];
}

export interface PreparedCheck {
  readonly kind: 'check';
  readonly content: CheckCell;
  readonly expectations: readonly BoundExpectation[];
}

export interface BoundExpectation {
  readonly expectation: Expectation;
  readonly figure: BoundFigure;
  readonly of?: BoundFigure | number | undefined;
}

/** The value of an answer that a path refers to. */
export type BoundFigure =
  /** A parameter, or a fact about the report, which is already known. */
  | {
      readonly kind: 'known';
      readonly path: FigurePath;
      readonly text: string;
      readonly value: string | number;
    }
  /** A figure of a usage cell. */
  | {
      readonly kind: 'usage';
      readonly path: FigurePath;
      readonly cell: string;
      readonly name: string;
    }
  | {
      readonly kind: 'column';
      readonly path: FigurePath;
      readonly cell: string;
      /** The cell's own answer, or an additional one. */
      readonly source: 'answer' | 'total' | 'compared';
      /** Key of the column; undefined for the number of rows. */
      readonly column: string | undefined;
      readonly pick: FigurePick;
      /** A step of a funnel: the index of its row, from 0. */
      readonly row?: number | undefined;
    };

/**
 * Which value of a column. `every`: all of them, for checks. A `total` from the answer itself is the sum of its rows,
 * unless it is truncated.
 */
export type FigurePick = (typeof figurePicks)[number] | 'only' | 'every';

/** `total`: of everything the question covers, even if not every row is shown. `sum`: of the rows. */
export const figurePicks = ['total', 'sum', 'first', 'last', 'max', 'min', 'mean', 'rows'] as const;

/** Relative to the earlier range. */
export const figureSides = ['previous', 'change', 'changePercent'] as const;

export type FigureSide = (typeof figureSides)[number];
