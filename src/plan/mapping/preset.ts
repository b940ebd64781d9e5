import type { Mapping } from './mapping.ts';

/** The mapping for files of one tracker or tool, and the way to recognise them. Plain data except for `recognise`. */
export interface Preset {
  /** Lower case with hyphens, as in `preset: segment`. */
  readonly name: string;
  /** The name for people: `Segment`. */
  readonly title: string;
  /** The confidence that a file has this format, from 0 (it does not) to 1 (no other format fits as well). */
  readonly recognise: (signs: FileSigns) => number;
  /** May depend on the file: on the version of a format, or the table of an export. */
  readonly mapping: Mapping | ((signs: FileSigns) => Mapping);
  /** Columns and JSON paths that such files have and that figures depend on. ` | ` separates alternatives. */
  readonly expects?: readonly string[] | ((signs: FileSigns) => readonly string[]) | undefined;
  /** What happens without an expected column or path, if figures are not empty then. */
  readonly instead?: Readonly<Record<string, Fallback>> | undefined;
  /** Sentences for users that say which values are derived, and how. */
  readonly notes?: readonly string[] | ((signs: FileSigns) => readonly string[]) | undefined;
  /** Said unless the source of the files declares a time zone. */
  readonly zoneNote?: string | undefined;
  /** Some of its files have times without a zone that are local. Those of other presets are in UTC. */
  readonly mayBeLocal?: true;
  /** Set if such files contain no events: the reason (printed after the file's name) and a hint. */
  readonly refusal?: { readonly message: string; readonly hint: string } | undefined;
}

export interface Fallback {
  /** `users are counted by distinct_id` */
  readonly text: string;
  /** The expected column that it takes. */
  readonly needs?: string | undefined;
}

/** The parts of a file's shape by which presets recognise it. */
export interface FileSigns extends Pick<FileShape, 'kind' | 'has'> {
  /** The file's name in lower case, without its endings: warehouses name tables by what they hold. */
  readonly table: string;
}

/** The shape of the first rows of an event file. */
export interface FileShape {
  readonly kind: 'json' | 'csv' | 'parquet';
  /** The columns, or the keys of the sampled objects, in file order. */
  readonly columns: readonly ShapeColumn[];
  /** True if a column of this exact name exists, or a JSON path (`$.context.page.path`) leads to a value. */
  readonly has: (columnOrPath: string) => boolean;
  /** For each value of a column or path, how many values the first filled one of the others has beside it. */
  readonly countsBeside: (columnOrPath: string, others: readonly string[]) => readonly number[];
}

export interface ShapeColumn {
  readonly name: string;
  /** `text`, `number`, `boolean`, `time`, `object`, `list`, `mixed`; `empty` if no sampled row has a value. */
  readonly type: ShapeType;
  /** Share of the sampled rows with a value, from 0 to 1. */
  readonly filled: number;
  /** Number of distinct values in the sample. */
  readonly distinct: number;
  /** True if the sample has values and no value repeats. */
  readonly isUnique: boolean;
  /** Share of the values that repeat an earlier one. */
  readonly repeated: number;
  /** Some sampled values as text; objects and lists as JSON. */
  readonly examples: readonly string[];
}

export type ShapeType = 'text' | 'number' | 'boolean' | 'time' | 'object' | 'list' | 'mixed' | 'empty';
