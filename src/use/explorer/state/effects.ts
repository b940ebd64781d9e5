import type { Annotation } from '../../../ask/chart/annotation.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { RowView } from '../../../run/stored-view.ts';
import type { GridWanted } from '../grid/grid-state.ts';
import type { Message } from './message.ts';
import type { Ask, ChartSize, Draft, ExplorerCell, NotebookFile, Theme } from './state.ts';

/** Forms that a question can be converted to. */
export const conversions = ['library', 'load', 'sql', 'command'] as const;

export type Conversion = (typeof conversions)[number];

/** A request for I/O. Plain data; results arrive as messages. */
export type Effect =
  /**
   * Opens the workspace, or reopens it after its backend was lost. `asOf`: as of this time from now on, `now` for the
   * clock's.
   */
  | { readonly kind: 'open'; readonly asOf?: string }
  | { readonly kind: 'run'; readonly run: number; readonly ask: Ask }
  /** Answers the notebook as a report, for blocks that are not independent questions. */
  | {
      readonly kind: 'answer-report';
      readonly run: number;
      readonly cells: readonly SavedCell[];
      readonly file: NotebookFile;
      readonly given: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'cancel'; readonly run: number }
  /** Releases the rows of an answer that is no longer shown. */
  | { readonly kind: 'release'; readonly answer: number }
  | { readonly kind: 'grid'; readonly answer: number; readonly wanted: GridWanted }
  /** `key`: the column whose values become columns; undefined: undo the pivot. */
  | { readonly kind: 'pivot'; readonly answer: number; readonly run: number; readonly key: string | undefined }
  /** Counts the values of a column. */
  | { readonly kind: 'count-values'; readonly run: number; readonly saved: SavedQuery }
  | { readonly kind: 'find-values'; readonly member: string }
  /** Waits until the columns of the events are known, for this line. */
  | { readonly kind: 'await-columns'; readonly line: string }
  /** Looks up which dimensions have no values. */
  | { readonly kind: 'find-empty' }
  | {
      readonly kind: 'draw-chart';
      readonly of: ChartSize;
      /** Notes to show below the chart. */
      readonly notes: readonly string[];
      readonly annotations: readonly Annotation[];
    }
  /** `name`: file name in the folder of reports; for a new report, or to save under another name. */
  | {
      readonly kind: 'save';
      readonly cells: readonly SavedCell[];
      readonly file: NotebookFile | undefined;
      readonly name: string | undefined;
      readonly title: string | undefined;
      /** Says what the saved notebook does not include, in a sentence. */
      readonly note: string | undefined;
    }
  | { readonly kind: 'open-notebook'; readonly name: string; readonly given?: ReadonlyMap<string, string> }
  | { readonly kind: 'restore-draft'; readonly draft: Draft }
  | { readonly kind: 'discard-draft'; readonly id: string }
  | { readonly kind: 'list-drafts' }
  | { readonly kind: 'set-theme'; readonly theme: Theme }
  /** Saves unsaved work as a draft; without any work, removes the draft. */
  | {
      readonly kind: 'keep-draft';
      readonly cells: readonly SavedCell[];
      readonly typed: string;
      readonly file: string | undefined;
    }
  | { readonly kind: 'edit'; readonly cell: number; readonly ask: Ask }
  /** Reads a pasted query file or load body. */
  | { readonly kind: 'read-query'; readonly text: string }
  /** Opens the prompt's line in the user's editor. */
  | { readonly kind: 'edit-typed'; readonly text: string }
  | { readonly kind: 'turn'; readonly into: Conversion; readonly ask: Ask }
  | { readonly kind: 'copy'; readonly text: string; readonly what: string }
  /** Exports rows as shown to a file: `csv`, `parquet visits.parquet`. */
  | {
      readonly kind: 'export';
      readonly answer: number;
      readonly ask: Ask;
      readonly into: string;
      readonly view: RowView;
    }
  | { readonly kind: 'copy-table'; readonly answer: number; readonly view: RowView }
  | { readonly kind: 'copy-command'; readonly ask: Ask }
  | { readonly kind: 'remember'; readonly line: string }
  | { readonly kind: 'set-mouse'; readonly on: boolean }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'leave' };

export type SavedCell = Pick<ExplorerCell, 'id' | 'ask' | 'source' | 'shows' | 'pivot' | 'own'>;

/** Performs effects. Never throws or rejects: failures are messages. */
export interface EffectPort extends AsyncDisposable {
  perform(effect: Effect, tell: (message: Message) => void): void;
}
