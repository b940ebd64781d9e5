import type { Mapping } from '../../../plan/mapping/mapping.ts';
import type { Preset } from '../../../plan/mapping/preset.ts';

// What reports of loading tell of a file; apart from what finds it out, so that a program's types need none of that.

/** What a file was recognised as. */
export interface RecognisedFile {
  readonly preset: Preset;
  readonly mapping: Mapping;
  /** Columns and JSON paths that such files have, but not the first events of this one. */
  readonly missing: readonly string[];
}

/** How the columns of one file are understood. */
export interface Recognition {
  /** Fields that a column gives, and which. */
  readonly recognised: readonly { readonly field: string; readonly column: string; readonly from: string }[];
  /** Columns that are kept as properties. */
  readonly properties: readonly string[];
  /** Fields that the mapping takes from columns which the file lacks. */
  readonly lost: readonly { readonly field: string; readonly column: string; readonly from: string }[];
  /** The list of its objects, if they lie within an object. */
  readonly wrapped?: WrappedEvents | undefined;
  /** Its times have no time of day. */
  readonly isDated: boolean;
  /** Of CSV files that were looked at for them. */
  readonly commas?: DecimalCommas | undefined;
  /** What a file of events is expected to have, and this one lacks. */
  readonly missing: readonly ExpectedFact[];
}

/** The list of events of a JSON file that is an object, or several. */
export interface WrappedEvents {
  /** The keys that lead to the list: `data.events`. */
  readonly list: string;
  /** How many objects the list has. */
  readonly items: number;
  /** Values beside the list, which are not read. */
  readonly beside: readonly { readonly path: readonly string[]; readonly value: string | number | boolean | null }[];
}

/** How a CSV file writes numbers. */
export interface DecimalCommas {
  /** Columns that are read with decimal commas. */
  readonly columns: readonly string[];
  /** Columns whose numbers may be meant with decimal commas: they are kept as they are. */
  readonly doubtful: readonly { readonly column: string; readonly example: string }[];
}

/** A fact that most questions ask about: any of its fields tells it. */
export interface ExpectedFact {
  readonly title: string;
  /** Columns of `events`. */
  readonly columns: readonly string[];
  /** The field to map. */
  readonly field: string;
  /** SQL over `events`: one of them tells it, although no column of the file does by its name. */
  readonly holds?: string | undefined;
  /** Columns of which one has a value where it holds; `columns` if undefined. */
  readonly from?: readonly string[] | undefined;
}
