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

/** What happened: a key, or what came of an effect. */
export type Message =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  /** Time has passed: the clock in the state is new. */
  | { readonly kind: 'tick' }
  | { readonly kind: 'opened'; readonly workspace: OpenWorkspace }
  | { readonly kind: 'open-failed'; readonly failure: Failure }
  | {
      readonly kind: 'answered';
      readonly run: number;
      readonly answer: CellAnswer;
      readonly grid: GridState;
      /** The pivot that its rows have. */
      readonly pivot: string | undefined;
      readonly elapsedMs: number;
    }
  /** What the blocks tell, by the ids of their cells. */
  | {
      readonly kind: 'report-answered';
      readonly run: number;
      readonly told: ReadonlyMap<number, readonly Told[]>;
      readonly params: readonly ReportParam[];
      readonly annotations: readonly Annotation[];
      readonly elapsedMs: number;
    }
  | { readonly kind: 'run-failed'; readonly run: number; readonly failure: Failure }
  | { readonly kind: 'run-cancelled'; readonly run: number }
  | { readonly kind: 'run-waits'; readonly run: number; readonly note: string }
  /** The first rows of an answer, while the others are on their way. */
  | { readonly kind: 'first-rows'; readonly run: number; readonly first: Result }
  | { readonly kind: 'grid'; readonly answer: number; readonly message: GridMessage }
  | {
      readonly kind: 'values-counted';
      readonly run: number;
      readonly counted: Result | undefined;
      readonly problem: string | undefined;
    }
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
    }
  | {
      readonly kind: 'notebook-opened';
      readonly file: NotebookFile | undefined;
      readonly cells: readonly OpenedCell[];
      readonly given?: ReadonlyMap<string, string>;
      readonly typed: string;
      /** The draft that it was restored from, which is none any more. */
      readonly restored?: string;
      /** What else is to be said. */
      readonly note?: string | undefined;
    }
  /** The text of `$EDITOR` was read; `ask` is undefined where nothing was changed. */
  | { readonly kind: 'edited'; readonly cell: number; readonly ask: Ask | undefined }
  /** The same of the line that was typed. */
  | { readonly kind: 'typed-edited'; readonly text: string | undefined }
  /** Nothing of what was typed is lost: `text` is all of it. */
  | { readonly kind: 'edit-refused'; readonly cell: number; readonly message: string; readonly text: string }
  | { readonly kind: 'turned'; readonly title: string; readonly text: string }
  | { readonly kind: 'exported'; readonly said: string }
  | { readonly kind: 'copied'; readonly what: string }
  | { readonly kind: 'history-read'; readonly lines: readonly string[] }
  | { readonly kind: 'draft-found'; readonly draft: Draft }
  | { readonly kind: 'drafts-found'; readonly drafts: readonly Draft[] }
  /** Something that was to be done on the side could not be. */
  | { readonly kind: 'effect-failed'; readonly what: string; readonly failure: Failure };

export type OpenedCell = Pick<ExplorerCell, 'ask' | 'source' | 'shows' | 'pivot' | 'own'>;

/** A cell as it was written, and what it stands for there: it may have been changed since. */
export type WrittenCell = Pick<ExplorerCell, 'id' | 'ask' | 'shows' | 'pivot'> & { readonly source: string };
