import type { DecimalMark, Mapping, TimeFormat } from '../../../../plan/mapping/mapping.ts';
import type { Preset } from '../../../../plan/mapping/preset.ts';
import type { ExpectedFact } from '../../../events/expected-facts.ts';

// Types for load reports. They are separate from the code that detects the facts, so that type declarations stay small.

/** The preset that recognised a file. */
export interface RecognisedFile {
  readonly preset: Preset;
  readonly mapping: Mapping;
  /** Sentences for users on values that are derived, and on what the source should declare. */
  readonly notes: readonly string[];
  /** Columns and JSON paths that such files usually have, and the first events of this one lack. */
  readonly missing: readonly string[];
}

/** How the columns of one file are mapped. */
export interface Recognition {
  /** Fields that are found, each with its column. */
  readonly recognised: readonly { readonly field: string; readonly column: string; readonly from: string }[];
  /** Columns kept as properties. */
  readonly properties: readonly string[];
  /** Fields whose mapped columns are missing in the file. */
  readonly lost: readonly { readonly field: string; readonly column: string; readonly from: string }[];
  /** The list of its objects, if they lie within an object. */
  readonly wrapped?: WrappedEvents | undefined;
  /** Whether its times have no time of day. */
  readonly isDated: boolean;
  /** Whether its mapped times name no zone and none is declared, so that they are read as UTC. */
  readonly isLocal: boolean;
  /** Only for CSV files that were checked for them. */
  readonly marks?: CellMarks | undefined;
  /** Only for CSV files that have such columns. */
  readonly firstRows?: FirstRows | undefined;
  /** Expected facts that the file lacks. */
  readonly missing: readonly ExpectedFact[];
}

/** The list of events of a JSON file that is an object, or several. */
export interface WrappedEvents {
  /** Keys that lead from an event to each value that it has from beside the list. */
  readonly inherited: readonly (readonly string[])[];
  /** Keys that lead to the other values beside the list, which are not read. */
  readonly unread: readonly (readonly string[])[];
  /** The keys that lead to the list: `data.events`. */
  readonly list: string;
  /** How many objects the list has. */
  readonly items: number;
  /** Values beside the list, in the last object. */
  readonly beside: readonly { readonly path: readonly string[]; readonly value: string | number | boolean | null }[];
}

/** Columns with values only in the first of several rows with the same key. */
export interface FirstRows {
  readonly key: string;
  readonly columns: readonly string[];
}

/** How the numbers and times of a CSV file are written. */
export interface CellMarks extends NumberMarks {
  /** Columns with times that are not in ISO 8601. */
  readonly times: readonly TimeColumn[];
}

/** How the numbers of a CSV file are written. */
export interface NumberMarks {
  /** Columns with decimal commas, separated thousands, or a unit. */
  readonly columns: readonly MarkedColumn[];
  /**
   * Columns whose commas or points, or whose order of day and month, are ambiguous. They are kept unchanged: with
   * points, SQL reads numbers.
   */
  readonly doubtful: readonly { readonly column: string; readonly example: string }[];
}

export interface MarkedColumn {
  readonly name: string;
  /** The decimal mark of its numbers. The other mark separates their thousands. */
  readonly mark: DecimalMark;
  /** The sign of a currency or of percent, before or after its numbers. */
  readonly unit?: string | undefined;
}

export interface TimeColumn {
  readonly name: string;
  readonly format: TimeFormat;
}
