import type { Mapping } from './mapping.ts';

/** The mapping for the files of one tracker or tool, and how they are recognised. Pure data but for `recognise`. */
export interface Preset {
  /** As in `preset: segment`: lower case, hyphens. */
  readonly name: string;
  /** For people: `Segment`. */
  readonly title: string;
  /** How sure it is that a file of this shape is one of these, from 0 (it is not) to 1 (nothing else looks like it). */
  readonly recognise: (signs: FileSigns) => number;
  /** May depend on the file: versions of a format, tables of one export. */
  readonly mapping: Mapping | ((signs: FileSigns) => Mapping);
  /** Columns and JSON paths that such files have: what figures rest on. ` | ` stands between alternatives. */
  readonly expects?: readonly string[] | undefined;
  /** Sentences for whoever trusts the figures: what was derived, and how. */
  readonly notes?: readonly string[] | undefined;
  /** Such files hold no events: why (after the file's name), and what to do. */
  readonly refusal?: { readonly message: string; readonly hint: string } | undefined;
}

/** What tells whose a file is. */
export type FileSigns = Pick<FileShape, 'kind' | 'has'>;

/** What the head of a file of events looks like. */
export interface FileShape {
  readonly kind: 'json' | 'csv' | 'parquet';
  /** The columns, or the keys of the sampled objects, in their order. */
  readonly columns: readonly ShapeColumn[];
  /** Whether a column of this exact name is there, or a JSON path (`$.context.page.path`) leads to a value. */
  readonly has: (columnOrPath: string) => boolean;
}

export interface ShapeColumn {
  readonly name: string;
  /** `text`, `number`, `boolean`, `time`, `object`, `list`, `mixed`; `empty` if no sampled row has a value. */
  readonly type: ShapeType;
  /** Share of the sampled rows that hold a value, from 0 to 1. */
  readonly filled: number;
  /** How many different values the sample holds. */
  readonly distinct: number;
  /** There are values, and no two rows of the sample share one. */
  readonly isUnique: boolean;
  /** Some sampled values as text; objects and lists as JSON. */
  readonly examples: readonly string[];
}

export type ShapeType = 'text' | 'number' | 'boolean' | 'time' | 'object' | 'list' | 'mixed' | 'empty';
