/**
 * How the columns of any file of events become the canonical fields (`eventFields`). What no field takes is kept as a
 * property, under its own name.
 */
export interface Mapping {
  /**
   * Where each field comes from, by any bare name of the field: `docPath`, `pageUrlpath` and `doc_path` are one. Fields
   * that are not named here are recognised by the names of the file's columns, as in a file without a mapping.
   */
  readonly columns: Readonly<Record<string, FieldSource>>;
  /**
   * The preset whose fields lie below these; `none`: none. By default files without any columns here are recognised by
   * themselves, and others are not.
   */
  readonly preset?: string | undefined;
  /** The zone of times that name none: `Europe/Berlin`; UTC by default. */
  readonly timezone?: string | undefined;
  /**
   * A column that holds a list, as JSON: each of its items is an event of its own, and stands in the column's place
   * beside the other columns. A row with an empty list, or none, is one event with nothing there.
   */
  readonly rows?: string | undefined;
  /**
   * The decimal mark of the numbers of a CSV file, of all or by column; found out over the whole file by default, where
   * semicolons or tabs are between its columns. Numbers may have points between thousands then: `1.234,50`.
   */
  readonly decimal?: DecimalMark | Readonly<Record<string, DecimalMark>> | undefined;
  /** How the time is written; found out over the whole file by default. */
  readonly timeFormat?: TimeFormat | undefined;
}

export const decimalMarks = [',', '.'] as const;

export type DecimalMark = (typeof decimalMarks)[number];

/**
 * A column's name (`created_at`) or a JSON path (`$.context.page.path`), or one of the longer forms; or several of
 * them, of which the first that holds a value counts: neither null nor an empty text.
 */
export type FieldSource = SimpleSource | readonly SimpleSource[];

export type SimpleSource = string | ColumnSource | PathSource | SqlSource | ValueSource;

/** What may be said of whatever is read. */
export interface Reading {
  /** Values that stand for others: `{'Page View': 'pageview'}`; all others stay as they are. Null: no value. */
  readonly values?: Readonly<Record<string, string | null>> | undefined;
  /** Of a time; over the mapping's own. */
  readonly format?: TimeFormat | undefined;
  /** Of a time that names none; over the mapping's own. */
  readonly timezone?: string | undefined;
}

/** A column by its name, whatever is in it; letter case is ignored outside of JSON. */
export interface ColumnSource extends Reading {
  readonly column: string;
}

/** `$.context.page.path`, `$.items[0].id`, `$."a.b".c`: its first step names a column. */
export interface PathSource extends Reading {
  readonly path: string;
}

/**
 * An expression of DuckDB over the columns of one row: no query, no table, no aggregate, no file. In text files (JSON,
 * CSV, TSV) every column is text, that of an object or array its JSON text; in Parquet and Arrow it has its own type.
 * A column that a file lacks is null.
 */
export interface SqlSource extends Reading {
  readonly sql: string;
}

/** The same value for every event; null: the field stays empty, whatever the file's columns are called. */
export interface ValueSource {
  readonly value: string | number | boolean | null;
}

/** The ways to write a time that have a name; their order is that in which they are tried. */
export const timeFormats = [
  'iso',
  'seconds',
  'milliseconds',
  'microseconds',
  'nanoseconds',
  'rfc2822',
  'apache',
  'day-first',
  'month-first',
] as const;

/**
 * One of the names, or a pattern of strftime's such as `%d/%m/%Y %H:%M`, which contains a percent sign. `iso`: ISO 8601
 * and its kin; `seconds` to `nanoseconds`: since 1970; `day-first` and `month-first`: `31/12/2024 23:59`.
 */
export type TimeFormat = (typeof timeFormats)[number] | `${string}%${string}`;
