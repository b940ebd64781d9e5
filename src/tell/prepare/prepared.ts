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

/** A notebook with everything looked up: parameters filled in, questions bound, figures found. Nothing is asked yet. */
export interface PreparedReport {
  readonly notebook: Notebook;
  readonly title: string;
  readonly description?: string | undefined;
  /** What letters are called. */
  readonly subject?: PreparedProse | undefined;
  readonly params: ParamValues;
  /** With the notebook's own zone. */
  readonly time: TimeContext;
  /** In the notebook's order. */
  readonly blocks: readonly PreparedBlock[];
  readonly annotations: readonly Annotation[];
  /** What its cells are watched for. */
  readonly alerts: readonly PreparedAlert[];
}

/** An alert of a cell that has a name. */
export interface PreparedAlert {
  readonly cell: string;
  readonly written: WrittenAlert;
  readonly watch: Watch;
  /** Of a band: every row. */
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
  /** How the table is laid out if the cell does not say. */
  readonly table?: TableLayout | undefined;
  readonly question: CellQuestion;
  readonly facts: QuestionFacts;
  /** The same without breakdown, in one row, where a figure needs it. */
  readonly total?: CellQuestion | undefined;
  /** A figure is the total of the answer's rows. */
  readonly needsTotal?: boolean | undefined;
  /** The total for the case that the answer is cut, so that its rows do not make up the total. */
  readonly spare?: CellQuestion | undefined;
  /** That beside the stretch before, where a figure needs it. */
  readonly compared?: CellQuestion | undefined;
}

/** What is known of an answer before it is there. */
export interface QuestionFacts {
  /** Of one range; a comparison adds those of `shape/compare`. */
  readonly columns: readonly Column[];
  readonly isComparison: boolean;
  /** It has one row: no dimension and no bucket of time. */
  readonly isWhole: boolean;
  /** Every row there is, unless it is cut by the limit that everything has: the cell sets no limit and no offset. */
  readonly isComplete: boolean;
  /** Groups are left out by their measures, so that they do not make up a total. */
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

/** A cell that cannot be asked, because what it names is not there. */
export interface PreparedFailure {
  readonly kind: 'failure';
  readonly content: QueryCell | CompareCell | FunnelCell;
  /** Why, with the place in the notebook. */
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

/** Which value of which answer a path means. */
export type BoundFigure =
  /** A parameter, or a fact about the report: known already. */
  | {
      readonly kind: 'known';
      readonly path: FigurePath;
      readonly text: string;
      readonly value: string | number;
    }
  /** One that a usage cell brings. */
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
      /** The cell's own answer, or one of those that were asked beside it. */
      readonly source: 'answer' | 'total' | 'compared';
      /** Key of the column; undefined for the number of rows. */
      readonly column: string | undefined;
      readonly pick: FigurePick;
      /** A step of a funnel: the row of this number, from 0. */
      readonly row?: number | undefined;
    };

/**
 * Which of a column's values. `every`: all of them, for checks. A `total` of the answer itself is made of its rows,
 * unless it is cut.
 */
export type FigurePick = (typeof figurePicks)[number] | 'only' | 'every';

/** `total`: of all that was asked about, also where not every row is shown. `sum`: of the rows. */
export const figurePicks = ['total', 'sum', 'first', 'last', 'max', 'min', 'mean', 'rows'] as const;

/** Against the earlier range. */
export const figureSides = ['previous', 'change', 'changePercent'] as const;

export type FigureSide = (typeof figureSides)[number];
