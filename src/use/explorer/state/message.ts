import type { GridMessage, GridState } from '../grid/grid-state.ts';
import type { Key } from '../terminal/key.ts';
import type { Annotation } from '../../../ask/chart/annotation.ts';
import type { Result } from '../../../shape/result/result.ts';
import type { ReportParam } from '../../../tell/report/report.ts';
import type { ChartReading } from './chart-reading.ts';
import type {
  Ask,
  CellAnswer,
  ChartSize,
  Draft,
  ExplorerCell,
  Failure,
  NotebookFile,
  OpenWorkspace,
  Size,
  Told,
} from './state.ts';

/** An event: a key, or the result of an effect. */
export type Message =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  /** Time passed; updates the clock of the state. */
  | { readonly kind: 'tick' }
  | { readonly kind: 'opened'; readonly workspace: OpenWorkspace }
  | { readonly kind: 'open-failed'; readonly failure: Failure }
  | {
      readonly kind: 'answered';
      readonly run: number;
      readonly answer: CellAnswer;
      readonly grid: GridState;
      /** The pivot of its rows. */
      readonly pivot: string | undefined;
      readonly elapsedMs: number;
      /** Undefined if it cannot be told, or if a table was only turned. */
      readonly data?: DataStates | undefined;
    }
  /** The output of the blocks, by cell ID. */
  | {
      readonly kind: 'report-answered';
      readonly run: number;
      readonly told: ReadonlyMap<number, readonly Told[]>;
      /** The rows of questions among them. */
      readonly answers: ReadonlyMap<number, BlockAnswer>;
      readonly params: readonly ReportParam[];
      readonly annotations: readonly Annotation[];
      /** Says which files of the workspace have changed since they were read, if any. */
      readonly changes?: string | undefined;
      readonly elapsedMs: number;
      readonly data?: DataStates | undefined;
    }
  | { readonly kind: 'run-failed'; readonly run: number; readonly failure: Failure }
  | { readonly kind: 'run-cancelled'; readonly run: number }
  | { readonly kind: 'run-waits'; readonly run: number; readonly note: string }
  /** The first rows of an answer that is still loading. */
  | { readonly kind: 'first-rows'; readonly run: number; readonly first: Result }
  | { readonly kind: 'grid'; readonly answer: number; readonly message: GridMessage }
  | {
      readonly kind: 'values-counted';
      readonly run: number;
      readonly counted: Result | undefined;
      readonly problem: string | undefined;
    }
  | { readonly kind: 'columns-read'; readonly line: string }
  | { readonly kind: 'values-found'; readonly member: string; readonly values: readonly string[] }
  | { readonly kind: 'empty-found'; readonly empty: NonNullable<OpenWorkspace['empty']> }
  | {
      readonly kind: 'chart-drawn';
      readonly of: ChartSize;
      readonly lines: readonly string[];
      readonly words: string;
      readonly reading: ChartReading | undefined;
    }
  | {
      readonly kind: 'chart-failed';
      readonly of: ChartSize;
      readonly why: string;
    }
  | {
      readonly kind: 'saved';
      readonly file: NotebookFile;
      readonly cells: readonly WrittenCell[];
      readonly note: string | undefined;
      /** The command that runs the report over the same data; undefined if it needs no flags. */
      readonly run?: string | undefined;
    }
  | {
      readonly kind: 'notebook-opened';
      readonly file: NotebookFile | undefined;
      readonly cells: readonly OpenedCell[];
      readonly given?: ReadonlyMap<string, string>;
      readonly typed: string;
      /** The draft it was restored from; that draft is now deleted. */
      readonly restored?: string;
      /** An additional message. */
      readonly note?: string | undefined;
    }
  /** The editor closed; `ask` is undefined if nothing changed. */
  | { readonly kind: 'edited'; readonly cell: number; readonly ask: Ask | undefined }
  /** The question of a pasted query file or load body. */
  | { readonly kind: 'query-read'; readonly ask: Ask }
  | { readonly kind: 'query-refused'; readonly message: string; readonly text: string }
  /** The editor of the prompt's line closed. */
  | { readonly kind: 'typed-edited'; readonly text: string | undefined }
  /** The edit has errors; `text` is the full edited text, so that nothing is lost. */
  | { readonly kind: 'edit-refused'; readonly cell: number; readonly message: string; readonly text: string }
  | { readonly kind: 'turned'; readonly title: string; readonly text: string }
  | { readonly kind: 'exported'; readonly said: string }
  | { readonly kind: 'copied'; readonly what: string }
  | { readonly kind: 'history-read'; readonly lines: readonly string[] }
  | { readonly kind: 'draft-found'; readonly draft: Draft }
  | { readonly kind: 'drafts-found'; readonly drafts: readonly Draft[] }
  /** A background effect failed. */
  | { readonly kind: 'effect-failed'; readonly what: string; readonly failure: Failure };

/** States of the data: when a question was asked, and when it was answered. */
export interface DataStates {
  readonly asked: string;
  readonly now: string;
}

export interface BlockAnswer {
  readonly answer: CellAnswer;
  readonly grid: GridState;
}

export type OpenedCell = Pick<ExplorerCell, 'ask' | 'source' | 'shows' | 'pivot' | 'own'>;

/** A cell as written, with the state that was written: the cell may have changed since. */
export type WrittenCell = Pick<ExplorerCell, 'id' | 'ask' | 'shows' | 'pivot'> & { readonly source: string };
