import type { Recheck } from '../../run/export/run-export.ts';
import type { ExportProgress } from '../../run/export/window-queue.ts';
import type { DateRangeText } from '../../ask/query/query.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportFormat } from '../../run/export/files/unit-form.ts';
import type { RejectedLines } from '../../run/backend.ts';
import type { Oddity } from '../../run/export/rows/window.ts';
import type { Packing } from '../../run/file/pack.ts';

/** Options of an export. */
export interface ExportOptions {
  /**
   * Range in whole days, first and last day included: `['2026-01-01', '2026-06-30']`, or a phrase such as `last month`.
   * Cannot be combined with `sinceLast`.
   */
  readonly range?: DateRangeText | undefined;
  /** Exports the events since the last export in this folder, with the same dimensions and format. */
  readonly sinceLast?: boolean | undefined;
  /** Defaults to `TrackedEvents`. */
  readonly cube?: string | undefined;
  /**
   * Names as in queries, also of properties. Defaults to all dimensions of the cube and, of your own files and stores,
   * to all properties as one column of JSON. The cube's time and users are always included.
   */
  readonly dimensions?: readonly string[] | undefined;
  /** Dimensions to omit. Without the time or the users, the export cannot distinguish events. */
  readonly without?: readonly string[] | undefined;
  /** Time zone of the days of the range and of the folders. Defaults to the configured time zone. */
  readonly timezone?: string | undefined;
  /** Defaults to the format of the file extension, or to `ndjson`. */
  readonly format?: ExportFormat | undefined;
  /** Compression of the files: `gzip` or `zstd`. None by default. */
  readonly packing?: Packing | undefined;
  /** Writes one row per event by repeating rows that stand for several events. */
  readonly expand?: boolean | undefined;
  /** CSV only: escapes cells that a spreadsheet would run as formulas. */
  readonly safeCells?: boolean | undefined;
  /**
   * Skips windows that ended less than this many milliseconds ago, because events may still arrive. Defaults to one
   * hour.
   */
  readonly watermarkMs?: number | undefined;
  /**
   * Also re-exports windows whose number of events changed, each as a new revision. `contents` fetches all windows
   * again, and also re-exports those whose events changed while their number stayed the same. Folders only.
   */
  readonly recheck?: Recheck | undefined;
  /** Number of windows to fetch in parallel. Defaults to 4. */
  readonly concurrency?: number | undefined;
  /** Aborts the call, which then throws `AbortedError`. Committed windows are kept. */
  readonly signal?: AbortSignal | undefined;
  /** Called while windows are fetched and files are joined. */
  readonly onProgress?: ((stage: ExportStage) => void) | undefined;
  /** Called once for each kind of unexpected behaviour of the source. */
  readonly onOddity?: ((oddity: Oddity) => void) | undefined;
}

/** `assembling`: the windows of a single file are being joined, and `rows` of them are written. */
export type ExportStage =
  | ({ readonly kind: 'fetching' } & ExportProgress)
  | { readonly kind: 'assembling'; readonly rows: number };

/** The result of an export. */
export interface ExportReport {
  /**
   * `partial`: some windows or lines are missing. `locked`: another run is exporting to this place, so this run did
   * nothing.
   */
  readonly outcome: 'done' | 'partial' | 'locked';
  /** The owner of the lock, if the outcome is `locked`. */
  readonly holder?: string | undefined;
  /** Absolute path of the folder or file. */
  readonly place: string;
  /** Whether the export is a folder with a file per window, or one file. */
  readonly kind: 'folder' | 'file';
  /** Hash of the query that the windows share. Exports with the same hash hold the same columns. */
  readonly query: string;
  /** The source of the events, for people. */
  readonly source: string;
  /** The range of all runs together, in epoch milliseconds. */
  readonly range: TimeRange;
  /** Windows that end later than this are still open. */
  readonly closedUntil: number;
  /** Number of windows exported so far by all runs. */
  readonly windows: number;
  /** Rows of all windows. A row stands for one or more equal events. */
  readonly rows: number;
  /** Events of all windows: the sum of `count` over the rows. */
  readonly events: number;
  /** Size of all files in bytes. */
  readonly bytes: number;
  /** What this run added: `windows`, `rows`, `events` (the sum of `count`) and `bytes`. */
  readonly added: { readonly windows: number; readonly rows: number; readonly events: number; readonly bytes: number };
  /**
   * Each `window` that was not exported, and `why`: most kept changing while they were fetched. `isThere`: an earlier
   * revision exists.
   */
  readonly unsettled: readonly { readonly window: TimeRange; readonly why: string; readonly isThere: boolean }[];
  /** Omitted members without which the export cannot distinguish events. */
  readonly missing: readonly string[];
  /** Lines of event files that could not be read. Their events may belong to any window. */
  readonly rejected: RejectedLines;
  /** Sentences about the events of files and stores, such as repeated IDs. */
  readonly notes: readonly string[];
  /** Unexpected behaviour of the source, such as equal rows in one answer. */
  readonly oddities: readonly Oddity[];
  /** Files in the folder that do not belong to the export. */
  readonly foreign: readonly string[];
}
