import type { ExportProgress } from '../../run/export/window-queue.ts';
import type { DateRangeText } from '../../ask/query/query.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportFormat } from '../../run/export/files/unit-form.ts';
import type { Oddity } from '../../run/export/rows/window.ts';
import type { Packing } from '../../run/file/pack.ts';

/** What is to be exported, and how it is written. */
export interface ExportOptions {
  /** From when to when, whole days both ends in; not with `sinceLast`. */
  readonly range?: DateRangeText | undefined;
  /** Adds what has closed since to the export that the folder holds, with its own dimensions and form. */
  readonly sinceLast?: boolean | undefined;
  /** `TrackedEvents` where not set. */
  readonly cube?: string | undefined;
  /** All of the cube's where not set. Its time and its users are always among them. */
  readonly dimensions?: readonly string[] | undefined;
  /** Left out all the same. Without the time or the users the export does not tell events apart. */
  readonly without?: readonly string[] | undefined;
  /** The zone of the range's days and of the folders by day; the configured one where not set. */
  readonly timezone?: string | undefined;
  /** What the name of a file says, or `ndjson`, where not set. */
  readonly format?: ExportFormat | undefined;
  readonly packing?: Packing | undefined;
  /** A row for each event: rows that stand for several are repeated. */
  readonly expand?: boolean | undefined;
  /** CSV only: cells that a spreadsheet would run as formulas are made harmless. */
  readonly safeCells?: boolean | undefined;
  /**
   * Windows that end later than this many milliseconds before the present are open, and left out; an hour where not
   * set.
   */
  readonly watermarkMs?: number | undefined;
  /**
   * Counts the windows that are there once more, and exports afresh those that have changed, each as its next revision.
   * Folders only.
   */
  readonly recheck?: boolean | undefined;
  /** Windows at once; 4 where not set. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((stage: ExportStage) => void) | undefined;
  /** Told once of each kind of thing that the source does and should not. */
  readonly onOddity?: ((oddity: Oddity) => void) | undefined;
}

/** `assembling`: the windows of a single file are being put together. */
export type ExportStage =
  | ({ readonly kind: 'fetching' } & ExportProgress)
  | { readonly kind: 'assembling'; readonly rows: number };

/** What came of it. */
export interface ExportReport {
  /** `locked`: another run is at work there, and nothing was done. */
  readonly outcome: 'done' | 'partial' | 'locked';
  /** Who has the lock. */
  readonly holder?: string | undefined;
  /** The folder or file, absolute. */
  readonly place: string;
  readonly kind: 'folder' | 'file';
  readonly query: string;
  readonly source: string;
  /** What all runs together are to export, epoch milliseconds. */
  readonly range: TimeRange;
  /** What is later is open yet. */
  readonly closedUntil: number;
  /** Of all that is there now. */
  readonly windows: number;
  readonly rows: number;
  readonly events: number;
  readonly bytes: number;
  /** Of this run. */
  readonly added: { readonly windows: number; readonly rows: number; readonly events: number; readonly bytes: number };
  /**
   * Windows that changed again and again while they were fetched, and are not there; `isThere`: as they were before.
   */
  readonly unsettled: readonly { readonly window: TimeRange; readonly why: string; readonly isThere: boolean }[];
  /** Members without which the export does not tell events apart. */
  readonly missing: readonly string[];
  readonly oddities: readonly Oddity[];
  /** Files in the folder that are no part of the export. */
  readonly foreign: readonly string[];
}
