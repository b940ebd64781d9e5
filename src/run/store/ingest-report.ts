import type { SluiceError } from '../../ask/sluice-error.ts';
import type { RecognisedFile, Recognition } from '../duckdb/reading/recognition.ts';
import type { StoreSource } from './store-contents.ts';

/**
 * `added`: its events are in the store now. `replaced`: they are, in the place of an older revision's. `known`: they
 * were there already. `older`: a higher revision of its window is there. `refused`: it cannot be taken in, see `error`.
 */
export type IngestOutcome = 'added' | 'replaced' | 'known' | 'older' | 'refused';

/** What became of one file. */
export interface IngestedFile {
  /** The path as it was given, or as the pattern found it. */
  readonly file: string;
  /** What happened to the file, such as `added` or `known`. */
  readonly outcome: IngestOutcome;
  /** The format that was read: `ndjson`, `csv`, `parquet`, … */
  readonly format?: string | undefined;
  /** What its columns were taken for. */
  readonly recognition?: Recognition | undefined;
  /** The preset that it was read by, and what it lacks of that. */
  readonly recognised?: RecognisedFile | undefined;
  /** Entities of Snowplow's that were read, as far as the file's fields tell. */
  readonly entities?: readonly string[] | undefined;
  /** Events that were added. */
  readonly added: number;
  /** Events left out whose ids were in the store, or came before in these files. */
  readonly known: number;
  /** Events left out because their users were forgotten. */
  readonly forgotten: number;
  /** Lines that could not be read. */
  readonly rejected: number;
  /** Absolute path of the file that holds the rejected lines. */
  readonly rejectedFile?: string | undefined;
  /** The first of them: the number of the `line`, from 1, and the `reason`. */
  readonly rejectedExamples: readonly { readonly line: number; readonly reason: string }[];
  /** The project that events without one of their own got. */
  readonly project?: string | undefined;
  /** As what it is known, or what it replaced. */
  readonly earlier?: StoreSource | undefined;
  /** Why the file was not loaded. */
  readonly error?: SluiceError | undefined;
}

/** What loading did to the store. */
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
  /** Lines that could not be read. */
  readonly rejected: number;
  /** Events of older revisions that were removed. */
  readonly removed: number;
  /** The projects of all events that the store holds now; null: of none. */
  readonly projects: readonly (string | null)[];
  /** Events that the store holds now. */
  readonly events: number;
  /** Files that are to be taken in again, as what had some of their events before them was replaced. */
  readonly again: readonly string[];
}

/** How far loading has come. */
export interface IngestProgress {
  /** From 1. */
  readonly file: number;
  /** How many files there are. */
  readonly files: number;
  /** The file that is being loaded. */
  readonly path: string;
  /** Bytes of all files, and of them those that are done with; those of the present one as far as they are read. */
  readonly bytes: number;
  /** Size of all files in bytes. */
  readonly totalBytes: number;
}

/** A file that was not looked at for its events. */
export function untouched(file: string, outcome: IngestOutcome, more: Partial<IngestedFile> = {}): IngestedFile {
  return { file, outcome, added: 0, known: 0, forgotten: 0, rejected: 0, rejectedExamples: [], ...more };
}
