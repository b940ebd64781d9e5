import type { Annotation } from '../../../ask/chart/annotation.ts';
import type { Issue } from '../../../ask/outcome.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { Catalog } from '../../../plan/model/catalog.ts';
import type { ReportParam } from '../../../tell/report/report.ts';
import type { Result } from '../../../shape/result/result.ts';
import type { Completion, NamedThing } from '../complete/rank-candidates.ts';
import type { GridState } from '../grid/grid-state.ts';
import type { LineState } from '../line/line-state.ts';
import type { ChartCursor, ChartReading } from './chart-reading.ts';
import type { DrillFacts } from '../../answer/drill-down.ts';

/** All that the explorer knows. Plain data: `update` makes the next one of it, `composeScreen` draws it. */
export interface ExplorerState {
  /** Cells of the screen. */
  readonly size: Size;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly workspace: Workspace;
  readonly cells: readonly ExplorerCell[];
  /** Index of the cell that is chosen; 0 where there is none. */
  readonly current: number;
  /** The first line of all the cells' lines that is on the screen. */
  readonly top: number;
  readonly focus: Focus;
  /** What stands over all of it. */
  readonly over: Overlay | undefined;
  readonly prompt: Prompt;
  /** For the next cell, and the next run. Never given twice. */
  readonly nextNumber: number;
  readonly undo: readonly CellsMoment[];
  readonly redo: readonly CellsMoment[];
  /** The cell that is deleted if the next key says so. */
  readonly deleting: number | undefined;
  readonly said: Said | undefined;
  readonly file: NotebookFile | undefined;
  /** Values of parameters that were set, as text; the others have their defaults. */
  readonly given: ReadonlyMap<string, string>;
  /** The parameters of the report with their values, as it was answered last. */
  readonly params: readonly ReportParam[];
  /** Dated marks of the report, for its charts. */
  readonly annotations: readonly Annotation[];
  /** What was not saved when the explorer ended before: it is offered until something is done about it. */
  readonly draft: Draft | undefined;
  /** What was said of a second ctrl-c: it leaves for as long as that is what is said. */
  readonly leaving: Said | undefined;
  readonly mouse: boolean;
  readonly theme: Theme;
  /** Where the chart is read. */
  readonly cursor: ChartCursor;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Workspace =
  | { readonly kind: 'opening' }
  | OpenWorkspace
  | { readonly kind: 'lost'; readonly failure: Failure };

export interface OpenWorkspace {
  readonly kind: 'open';
  readonly catalog: Catalog;
  /** The cube that short names belong to. */
  readonly home: string;
  readonly savedQueries: readonly NamedThing[];
  /** Names of the reports in their folder. */
  readonly reports: readonly string[];
  readonly zones: readonly string[];
  /** Where the answers come from, for people. */
  readonly source: string;
  /** Values of members that were looked up, by full name. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Full names of dimensions without a value in so many events, all of them or the first; undefined: not looked up. */
  readonly empty?: { readonly members: ReadonlySet<string>; readonly events: number };
  /** What came up when it was opened, in whole sentences. */
  readonly notes: readonly string[];
}

/** Where keys go. `chart`: a cursor reads the chart of the chosen cell. */
export type Focus = 'prompt' | 'cells' | 'grid' | 'chart';

export type Overlay =
  /** `:` and what is typed behind it, above the commands that fit. */
  | { readonly kind: 'palette'; readonly line: LineState; readonly chosen: number }
  | { readonly kind: 'keys'; readonly scroll: number }
  /** All values of a column of the rows. `counted`: undefined while they are counted. */
  | {
      readonly kind: 'frequencies';
      readonly run: number;
      readonly column: number;
      readonly counted: Result | undefined;
      readonly problem: string | undefined;
      readonly line: LineState;
      readonly chosen: number;
    }
  /** All that can be asked for. */
  | { readonly kind: 'catalog'; readonly line: LineState; readonly chosen: number; readonly all: boolean }
  /** Under which name, then with which title it is saved; `name`: once it is known. */
  | { readonly kind: 'save'; readonly name: string | undefined; readonly line: LineState }
  /** By what the figure is drilled into. */
  | { readonly kind: 'drill'; readonly line: LineState; readonly chosen: number }
  /** Parameters of the report; `name`: the one whose value is typed. */
  | { readonly kind: 'params'; readonly name: string | undefined; readonly line: LineState; readonly chosen: number }
  /** Earlier questions. */
  | { readonly kind: 'history'; readonly line: LineState; readonly chosen: number }
  /** What sessions that ended left unsaved, the latest first. */
  | { readonly kind: 'drafts'; readonly drafts: readonly Draft[]; readonly line: LineState; readonly chosen: number }
  /** Lines of Markdown: those above and below the one that is typed. `cell`: whose they are; undefined: a new one. */
  | {
      readonly kind: 'markdown';
      readonly cell: number | undefined;
      readonly at: number;
      readonly before: readonly string[];
      readonly line: LineState;
      readonly after: readonly string[];
    }
  /** Into what the chosen cell can be turned. */
  | { readonly kind: 'turn'; readonly chosen: number }
  | { readonly kind: 'text'; readonly title: string; readonly text: string; readonly scroll: number };

export interface Prompt {
  readonly line: LineState;
  /** The cell that is edited; undefined: a new one, behind the chosen one where `below`, else at the end. */
  readonly editing: number | undefined;
  readonly below: boolean;
  readonly completion: ShownCompletion | undefined;
  /** What is wrong with the line, with spans in it. */
  readonly issues: readonly Issue[];
}

export interface ShownCompletion extends Completion {
  /** −1: none is chosen yet. */
  readonly chosen: number;
}

/** What a cell asks. `query`: what no line can say; a `line` may also be the name of a saved query. */
export type Ask =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'query'; readonly saved: SavedQuery }
  /** Prose and cells that the explorer only carries along. */
  | { readonly kind: 'text'; readonly source: string };

export interface ExplorerCell {
  readonly id: number;
  readonly ask: Ask;
  /** Its text in the notebook that was opened, while it says the same. */
  readonly source: string | undefined;
  readonly run: Run;
  /** The last answer; it stays while the question is asked again. */
  readonly answer: CellAnswer | undefined;
  readonly shows: 'table' | 'chart';
  /** Nobody chose so: the next answer decides. */
  readonly byItself: boolean;
  /** Labels of the chart's series that are left out. */
  readonly hidden: readonly string[] | undefined;
  /** What a report says of the cell besides its question: it stays through every change of that. */
  readonly own?: Readonly<Partial<Record<'title' | 'name' | 'alert' | 'outside', unknown>>> | undefined;
  /** Key of the column whose values are columns of its table. */
  readonly pivot?: string | undefined;
  readonly chart: DrawnChart | undefined;
  /** What a block of a report tells, as it was answered last. */
  readonly told: readonly Told[] | undefined;
  readonly grid: GridState | undefined;
}

/** A piece of what a block of a report tells. */
export type Told =
  | { readonly kind: 'text'; readonly tone: 'plain' | 'quiet' | 'heading' | 'alert' | 'error'; readonly text: string }
  | { readonly kind: 'table'; readonly result: Result }
  /** Drawn for a width; on a narrower screen its table stands there instead. */
  | { readonly kind: 'chart'; readonly result: Result; readonly lines: readonly string[]; readonly width: number };

export type Run =
  | { readonly kind: 'none' }
  /** `note`: what is being waited for. `first`: rows that are here before the others. */
  | {
      readonly kind: 'running';
      readonly number: number;
      readonly since: number;
      readonly note: string | undefined;
      readonly first?: Result | undefined;
    }
  | { readonly kind: 'done'; readonly elapsedMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** An answer; its rows lie with whoever answered, under its number. */
export interface CellAnswer {
  readonly number: number;
  /** The rows, or the first of them. */
  readonly head: Result;
  readonly rowCount: number;
  readonly drill: DrillFacts;
  /** The query that was answered, with all that its file says. */
  readonly saved: SavedQuery;
}

export interface DrawnChart extends ChartSize {
  /** undefined: it is being drawn. May hold colours, and nothing else that a terminal obeys. */
  readonly lines: readonly string[] | undefined;
  /** The same in words. */
  readonly words: string | undefined;
  readonly problem: string | undefined;
  /** undefined: it cannot be read place by place. */
  readonly reading: ChartReading | undefined;
}

/** `auto`: as the terminal says of itself. `none`: no colours. */
export const themes = ['auto', 'dark', 'light', 'none'] as const;

export type Theme = (typeof themes)[number];

/** What is drawn: the rows of which answer, in how many cells, without which series, in which colours. */
export interface ChartSize {
  readonly answer: number;
  readonly width: number;
  readonly height: number;
  readonly hidden: readonly string[] | undefined;
  readonly theme: Theme;
}

/** Whether two charts are drawn from the same in the same way. */
export function isSameChart(one: ChartSize, other: ChartSize): boolean {
  return (
    one.answer === other.answer &&
    one.width === other.width &&
    one.height === other.height &&
    one.hidden === other.hidden &&
    one.theme === other.theme
  );
}

/** An error, for people. The message may have several lines: an issue that is drawn. */
export interface Failure {
  readonly message: string;
  readonly hint: string | undefined;
  /** The backend is gone, and can be asked to come back. */
  readonly lost: boolean;
}

export interface CellsMoment {
  readonly cells: readonly ExplorerCell[];
  readonly current: number;
  readonly what: string;
}

export interface Said {
  readonly text: string;
  readonly tone: 'plain' | 'alert' | 'error';
}

export interface NotebookFile {
  /** Absolute. */
  readonly path: string;
  /** As people know it. */
  readonly shown: string;
  /** Front matter, to the byte. */
  readonly frontMatter: string;
  /** The text that was read or written last, so that what is not saved yet can be told. */
  readonly text: string;
}

/** Questions that were asked or typed, and not saved. */
export interface Draft {
  /** Whose name tells the file that it lies in. */
  readonly id: string;
  readonly cells: readonly Pick<ExplorerCell, 'ask' | 'source' | 'shows' | 'pivot' | 'own'>[];
  /** What stood in the prompt. */
  readonly typed: string;
  /** Absolute path of the notebook that was open. */
  readonly file: string | undefined;
}
