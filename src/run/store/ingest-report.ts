import type { SluiceError } from '../../ask/sluice-error.ts';
import type { RecognisedFile, Recognition } from '../duckdb/reading/columns/recognition.ts';
import type { StoreSource } from './store-contents.ts';

/**
 * `added`: its events were added to the store. `replaced`: they replaced those of an older revision. `known`: they were
 * already in the store. `older`: the store has a higher revision of its window. `refused`: it could not be loaded, see
 * `error`.
 */
export type IngestOutcome = 'added' | 'replaced' | 'known' | 'older' | 'refused';

/** The result for one file. */
export interface IngestedFile {
  /** The path as specified, or as found by the pattern. */
  readonly file: string;
  /** What happened to the file, such as `added` or `known`. */
  readonly outcome: IngestOutcome;
  /** The format that was read: `ndjson`, `csv`, `parquet`, … */
  readonly format?: string | undefined;
  /** How its columns were interpreted. */
  readonly recognition?: Recognition | undefined;
  /** The preset that was applied, and expected columns that the file lacks. */
  readonly recognised?: RecognisedFile | undefined;
  /** Snowplow entities that were read, according to the file's fields. */
  readonly entities?: readonly string[] | undefined;
  /** Events that were added. */
  readonly added: number;
  /** Events left out because their IDs were in the store or earlier in these files. */
  readonly known: number;
  /** Events left out because their users were forgotten. */
  readonly forgotten: number;
  /** Events left out because events of their time were pruned. */
  readonly pruned: number;
  /** Lines that could not be read. */
  readonly rejected: number;
  /** Absolute path of the file with the rejected lines. */
  readonly rejectedFile?: string | undefined;
  /** The first rejected lines: the number of the `line`, from 1, and the `reason`. */
  readonly rejectedExamples: readonly { readonly line: number; readonly reason: string }[];
  /** The project assigned to events without one. */
  readonly project?: string | undefined;
  /** The source that the file equals or that it replaced. */
  readonly earlier?: StoreSource | undefined;
  /**
   * The `count` of events without an ID that equal events of the `earlier` content of the same path. They count twice,
   * because the file replaced nothing.
   */
  readonly repeated?: { readonly count: number; readonly earlier: StoreSource } | undefined;
  /** True if the file begins with the content of `earlier`, as a log that has grown since it was loaded. */
  readonly grown?: boolean | undefined;
  /** Why the file was not loaded. */
  readonly error?: SluiceError | undefined;
}

/** The result of loading. */
export interface IngestReport {
  /** Absolute path of the store. */
  readonly folder: string;
  /** One entry per file. */
  readonly files: readonly IngestedFile[];
  /** Sums over the files. */
  readonly added: number;
  /** Events left out because the store had them. */
  readonly known: number;
  /** Events left out because their users were forgotten. */
  readonly forgotten: number;
  /** Events left out because events of their time were pruned. */
  readonly pruned: number;
  /** The instant before which events were pruned and are left out; undefined if the store was not pruned. */
  readonly prunedBefore?: string | undefined;
  /** Lines that could not be read. */
  readonly rejected: number;
  /** Events of older revisions that were removed. */
  readonly removed: number;
  /** The projects of all events now in the store; null for events without a project. */
  readonly projects: readonly (string | null)[];
  /** Events now in the store. */
  readonly events: number;
  /** Sentences about files in named folders that were not loaded because of their names. */
  readonly leftOut?: readonly string[] | undefined;
  /** Files to load again: their duplicate events came from a source that was replaced. */
  readonly again: readonly string[];
}

/** The progress of loading. */
export interface IngestProgress {
  /** From 1. */
  readonly file: number;
  /** Number of files. */
  readonly files: number;
  /** The file that is being loaded. */
  readonly path: string;
  /** Bytes of finished files, and of the current one as far as it has been read. */
  readonly bytes: number;
  /** Size of all files in bytes. */
  readonly totalBytes: number;
}

/** The result for a file whose events were not read. */
export function untouched(file: string, outcome: IngestOutcome, more: Partial<IngestedFile>): IngestedFile {
  return { file, outcome, added: 0, known: 0, forgotten: 0, pruned: 0, rejected: 0, rejectedExamples: [], ...more };
}
