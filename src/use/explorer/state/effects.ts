import type { Annotation } from '../../../ask/chart/annotation.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { RowView } from '../../../run/stored-view.ts';
import type { GridWanted } from '../grid/grid-state.ts';
import type { Message } from './message.ts';
import type { Ask, ChartSize, Draft, ExplorerCell, NotebookFile, Theme } from './state.ts';

/** Into what a cell can be turned, by their names. */
export const conversions = ['library', 'load', 'sql', 'command'] as const;

export type Conversion = (typeof conversions)[number];

/** Something that is to be done in the world. Plain data; what comes of it is told by messages. */
export type Effect =
  /** Opens the workspace, or opens it again after its backend was lost. */
  | { readonly kind: 'open' }
  | { readonly kind: 'run'; readonly run: number; readonly ask: Ask }
  /** Answers the notebook as a report, for the blocks that are no questions of their own. */
  | {
      readonly kind: 'answer-report';
      readonly run: number;
      readonly cells: readonly SavedCell[];
      readonly file: NotebookFile;
      readonly given: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'cancel'; readonly run: number }
  /** Rows of an answer that nobody looks at any more. */
  | { readonly kind: 'release'; readonly answer: number }
  | { readonly kind: 'grid'; readonly answer: number; readonly wanted: GridWanted }
  /** `key`: of the column whose values become columns; undefined: as it was answered. */
  | { readonly kind: 'pivot'; readonly answer: number; readonly run: number; readonly key: string | undefined }
  /** Counts the values of a column. */
  | { readonly kind: 'count-values'; readonly run: number; readonly saved: SavedQuery }
  | { readonly kind: 'find-values'; readonly member: string }
  /** Looks up which dimensions have no values. */
  | { readonly kind: 'find-empty' }
  | {
      readonly kind: 'draw-chart';
      readonly of: ChartSize;
      readonly annotations: readonly Annotation[];
    }
  /** `name`: of the file in the folder of reports, where there is none yet or another one is wanted. */
  | {
      readonly kind: 'save';
      readonly cells: readonly SavedCell[];
      readonly file: NotebookFile | undefined;
      readonly name: string | undefined;
      readonly title: string | undefined;
      /** What is not saved, in a sentence. */
      readonly note: string | undefined;
    }
  | { readonly kind: 'open-notebook'; readonly name: string; readonly given?: ReadonlyMap<string, string> }
  | { readonly kind: 'restore-draft'; readonly draft: Draft }
  | { readonly kind: 'discard-draft'; readonly id: string }
  | { readonly kind: 'list-drafts' }
  | { readonly kind: 'set-theme'; readonly theme: Theme }
  /** What is not saved, so that nothing typed is lost; with nothing in it, that there is no such thing any more. */
  | {
      readonly kind: 'keep-draft';
      readonly cells: readonly SavedCell[];
      readonly typed: string;
      readonly file: string | undefined;
    }
  | { readonly kind: 'edit'; readonly cell: number; readonly ask: Ask }
  /** The line that is typed. */
  | { readonly kind: 'edit-typed'; readonly text: string }
  | { readonly kind: 'turn'; readonly into: Conversion; readonly ask: Ask }
  | { readonly kind: 'copy'; readonly text: string; readonly what: string }
  /** Rows of an answer as they are seen, into a file: `csv`, `parquet visits.parquet`. */
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

/** Does effects. Nothing that it does throws or rejects: what goes wrong is a message, too. */
export interface EffectPort extends AsyncDisposable {
  perform(effect: Effect, tell: (message: Message) => void): void;
}
