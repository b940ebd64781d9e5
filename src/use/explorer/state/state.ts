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

/** The state of the explorer. Plain data: `update` computes the next state, `composeScreen` draws it. */
export interface ExplorerState {
  /** Size of the screen, in cells. */
  readonly size: Size;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly workspace: Workspace;
  readonly cells: readonly ExplorerCell[];
  /** Index of the chosen cell; 0 if there are no cells. */
  readonly current: number;
  /** Scroll position: the first visible line among the lines of all cells. */
  readonly top: number;
  readonly focus: Focus;
  /** The overlay above the cells. */
  readonly over: Overlay | undefined;
  readonly prompt: Prompt;
  /** Number for the next cell or run. Never reused. */
  readonly nextNumber: number;
  readonly undo: readonly CellsMoment[];
  readonly redo: readonly CellsMoment[];
  /** ID of the cell that is deleted if the next key confirms it. */
  readonly deleting: number | undefined;
  readonly said: Said | undefined;
  readonly file: NotebookFile | undefined;
  /** Parameters that were set, as text; the others have their defaults. */
  readonly given: ReadonlyMap<string, string>;
  /** The parameters of the report with their values in the last answer. */
  readonly params: readonly ReportParam[];
  /** Annotations of the report, for its charts. */
  readonly annotations: readonly Annotation[];
  /** Unsaved work of an earlier session; offered until the user restores or discards it. */
  readonly draft: Draft | undefined;
  /** The message about a second ctrl-c, which leaves the explorer as long as `said` is this message. */
  readonly leaving: Said | undefined;
  readonly mouse: boolean;
  readonly theme: Theme;
  /** The cursor in the chart. */
  readonly cursor: ChartCursor;
  /** The state of the data when a cell was last answered. */
  readonly data?: string | undefined;
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
  /** Whether columns of the events are still being looked up, so that the catalog may lack them. */
  readonly isReading?: () => boolean;
  /** True until the names of events were looked up: hints on unknown names then mention them. */
  readonly lacksEvents?: () => boolean;
  /** The cube that short names resolve in. */
  readonly home: string;
  readonly savedQueries: readonly NamedThing[];
  /** Names of the reports in the folder. */
  readonly reports: readonly string[];
  readonly zones: readonly string[];
  /** Source of the answers, for people. */
  readonly source: string;
  /** Values of members, by full name. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Full names of dimensions without a value in `events` events, all or the latest; undefined if not looked up. */
  readonly empty?: { readonly members: ReadonlySet<string>; readonly events: number };
  /** Messages from opening, in whole sentences. */
  readonly notes: readonly string[];
  /** Says which of the files of the settings and the model have changed since they were read, if any. */
  readonly changes?: () => string | undefined;
  /** Notes of every answer on how the events are read. The screen shows each of them once. */
  readonly sourceNotes?: () => readonly string[];
}

/** The receiver of keys. `chart`: a cursor reads the chart of the chosen cell. */
export type Focus = 'prompt' | 'cells' | 'grid' | 'chart';

export type Overlay =
  /** `:` and its text, above the matching commands. */
  | { readonly kind: 'palette'; readonly line: LineState; readonly chosen: number }
  | { readonly kind: 'keys'; readonly scroll: number }
  /** All values of a column. `counted` is undefined while counting. */
  | {
      readonly kind: 'frequencies';
      readonly run: number;
      readonly column: number;
      readonly counted: Result | undefined;
      readonly problem: string | undefined;
      readonly line: LineState;
      readonly chosen: number;
    }
  /** Everything that can be asked. */
  | { readonly kind: 'catalog'; readonly line: LineState; readonly chosen: number; readonly all: boolean }
  /** Asks for the name, then the title. `name`: set once given. */
  | { readonly kind: 'save'; readonly name: string | undefined; readonly line: LineState }
  /** Chooses how to drill into the figure. */
  | { readonly kind: 'drill'; readonly line: LineState; readonly chosen: number }
  /** Parameters of the report. `name`: the one being edited. */
  | { readonly kind: 'params'; readonly name: string | undefined; readonly line: LineState; readonly chosen: number }
  /** Earlier questions. */
  | { readonly kind: 'history'; readonly line: LineState; readonly chosen: number }
  /** Unsaved work of ended sessions, latest first. */
  | { readonly kind: 'drafts'; readonly drafts: readonly Draft[]; readonly line: LineState; readonly chosen: number }
  /**
   * Edits Markdown: the lines before and after the current one. `cell`: ID of the edited cell; undefined for a new one.
   */
  | {
      readonly kind: 'markdown';
      readonly cell: number | undefined;
      readonly at: number;
      readonly before: readonly string[];
      readonly line: LineState;
      readonly after: readonly string[];
    }
  /** Chooses a form to convert the chosen cell to. */
  | { readonly kind: 'turn'; readonly chosen: number }
  | { readonly kind: 'text'; readonly title: string; readonly text: string; readonly scroll: number };

export interface Prompt {
  readonly line: LineState;
  /** ID of the edited cell. Undefined for a new one, placed after the chosen cell if `below`, else at the end. */
  readonly editing: number | undefined;
  readonly below: boolean;
  readonly completion: ShownCompletion | undefined;
  /** Issues of the line, with spans in it. */
  readonly issues: readonly Issue[];
}

interface ShownCompletion extends Completion {
  /** −1 if none is chosen. */
  readonly chosen: number;
}

/**
 * The question of a cell. `query`: one that notation cannot express. A `line` may also be the name of a saved query.
 */
export type Ask =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'query'; readonly saved: SavedQuery }
  /** Prose and cells that the explorer preserves but cannot ask. */
  | { readonly kind: 'text'; readonly source: string };

export interface ExplorerCell {
  readonly id: number;
  readonly ask: Ask;
  /** Its text in the opened notebook, as long as the cell is unchanged. */
  readonly source: string | undefined;
  readonly run: Run;
  /** The last answer; kept while the question runs again. */
  readonly answer: CellAnswer | undefined;
  readonly shows: 'table' | 'chart';
  /** True if the user did not choose table or chart: the next answer decides. */
  readonly byItself: boolean;
  /** Labels of hidden series of the chart. */
  readonly hidden: readonly string[] | undefined;
  /** Report properties of the cell apart from its question; kept when the question changes. */
  readonly own?: Readonly<Partial<Record<'title' | 'name' | 'alert' | 'outside', unknown>>> | undefined;
  /** Key of the pivoted column. */
  readonly pivot?: string | undefined;
  readonly chart: DrawnChart | undefined;
  /** Output of a report block in its last answer. */
  readonly told: readonly Told[] | undefined;
  readonly grid: GridState | undefined;
  /** The state of the data when it was last asked; undefined if it cannot be told. */
  readonly data?: string | undefined;
}

/** True if the data has changed since the shown answer. `now`: their state when a cell was last answered. */
export function isOutdated({ run, answer, told, data }: ExplorerCell, now: string | undefined): boolean {
  return run.kind !== 'running' && (answer ?? told) !== undefined && data !== undefined && data !== now;
}

/** A part of the output of a report block. */
export type Told =
  | { readonly kind: 'text'; readonly tone: 'plain' | 'quiet' | 'heading' | 'alert' | 'error'; readonly text: string }
  | { readonly kind: 'table'; readonly result: Result }
  /** Drawn for this width; a narrower screen shows its table instead. */
  | { readonly kind: 'chart'; readonly result: Result; readonly lines: readonly string[]; readonly width: number };

export type Run =
  | { readonly kind: 'none' }
  /** `note`: the reason for waiting. `first`: rows that arrived early. */
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

/** An answer; the performer holds its rows under this number. */
export interface CellAnswer {
  readonly number: number;
  /** All rows, or the first of them. */
  readonly head: Result;
  readonly rowCount: number;
  readonly drill: DrillFacts;
  /** The answered query, with everything from its file. */
  readonly saved: SavedQuery;
}

export interface DrawnChart extends ChartSize {
  /** Undefined while it is drawn. The only escape sequences are colours. */
  readonly lines: readonly string[] | undefined;
  /** The chart in words. */
  readonly words: string | undefined;
  readonly problem: string | undefined;
  /** Undefined if the chart has no places to read. */
  readonly reading: ChartReading | undefined;
}

/** `auto`: as the terminal reports. `none`: no colours. */
export const themes = ['auto', 'dark', 'light', 'none'] as const;

export type Theme = (typeof themes)[number];

/** Inputs of a drawn chart: the answer, the size in cells, the hidden series, and the theme. */
export interface ChartSize {
  readonly answer: number;
  readonly width: number;
  readonly height: number;
  readonly hidden: readonly string[] | undefined;
  readonly theme: Theme;
}

/** True if both charts have the same inputs. */
export function isSameChart(one: ChartSize, other: ChartSize): boolean {
  return (
    one.answer === other.answer &&
    one.width === other.width &&
    one.height === other.height &&
    one.hidden === other.hidden &&
    one.theme === other.theme
  );
}

/** An error, for people. The message may have several lines if it draws an issue. */
export interface Failure {
  readonly message: string;
  readonly hint: string | undefined;
  /** True if the backend is gone and can be reopened. */
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
  /** As shown to people. */
  readonly shown: string;
  /** Front matter with its exact bytes. */
  readonly frontMatter: string;
  /** The last read or written text, to detect unsaved changes. */
  readonly text: string;
  /** The time zone of its questions; undefined for that of the settings. */
  readonly zone?: string | undefined;
}

/** Unsaved questions, asked or typed. */
export interface Draft {
  /** Names its file. */
  readonly id: string;
  readonly cells: readonly Pick<ExplorerCell, 'ask' | 'source' | 'shows' | 'pivot' | 'own'>[];
  /** Text of the prompt. */
  readonly typed: string;
  /** Absolute path of the open notebook. */
  readonly file: string | undefined;
}
