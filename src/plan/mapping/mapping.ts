/**
 * Maps the columns of any event file to the canonical fields (`eventFields`). Columns that no field uses are kept as
 * properties under their own names.
 */
export interface Mapping {
  /**
   * The source of each field, by any bare name of the field: `docPath`, `pageUrlpath` and `doc_path` are the same.
   * Fields not listed here are recognised by the names of the file's columns, as in a file without a mapping.
   */
  readonly columns: Readonly<Record<string, FieldSource>>;
  /**
   * The preset that these columns override; `none` for no preset. By default, a preset is recognised automatically only
   * if the mapping has no columns.
   */
  readonly preset?: string | undefined;
  /** The zone of times without one: `Europe/Berlin`; defaults to UTC. */
  readonly timezone?: string | undefined;
  /**
   * A column that contains a list, as JSON. Each item becomes an event with the other columns of the row; the item
   * replaces the list. A row with an empty or missing list becomes one event without that value.
   */
  readonly rows?: string | undefined;
  /**
   * The decimal mark of numbers in a CSV file, for all columns or by column. The other mark may separate thousands:
   * `1.234,50`, `1,234.50`. By default, separated thousands are detected, and decimal commas in files with semicolons
   * or tabs between the columns.
   */
  readonly decimal?: DecimalMark | Readonly<Record<string, DecimalMark>> | undefined;
  /**
   * The format of the events' times, or that of each column with times; by default it is detected over the whole file.
   * Columns of properties are those of CSV files.
   */
  readonly timeFormat?: TimeFormat | Readonly<Record<string, TimeFormat>> | undefined;
}

export const decimalMarks = [',', '.'] as const;

export type DecimalMark = (typeof decimalMarks)[number];

/**
 * A column's name (`created_at`), a JSON path (`$.context.page.path`), or a longer form. In a list of sources, the
 * first one with a value counts; null and empty text are not values.
 */
export type FieldSource = SimpleSource | readonly SimpleSource[];

export type SimpleSource = string | ColumnSource | PathSource | SqlSource | ValueSource;

/** Options of every source that is read. */
export interface Reading {
  /** Replaces values: `{'Page View': 'pageview'}`. Values not listed stay unchanged. Null removes the value. */
  readonly values?: Readonly<Record<string, string | null>> | undefined;
  /** The time format; overrides the mapping's. */
  readonly format?: TimeFormat | undefined;
  /** The zone of times without one; overrides the mapping's. */
  readonly timezone?: string | undefined;
  /** Numbers since 1970 count the seconds on the clocks of the time zone, not those of UTC. */
  readonly localEpochs?: boolean | undefined;
}

/** A column by its name, even if the name looks like a path. Case-insensitive except in JSON. */
export interface ColumnSource extends Reading {
  readonly column: string;
}

/** `$.context.page.path`, `$.items[0].id`, `$."a.b".c`. The first step names a column. */
export interface PathSource extends Reading {
  readonly path: string;
}

/**
 * A DuckDB expression over the columns of one row, without queries, tables, aggregates or files. In text files (JSON,
 * CSV, TSV) every column is text; objects and arrays are JSON text. In Parquet and Arrow, columns keep their types. A
 * column that a file lacks is null.
 */
export interface SqlSource extends Reading {
  readonly sql: string;
}

/** The same value for every event. Null leaves the field empty, whatever columns the file has. */
export interface ValueSource {
  readonly value: string | number | boolean | null;
}

/** The named time formats, in the order in which they are tried. */
export const timeFormats = [
  'iso',
  'year-first',
  'seconds',
  'milliseconds',
  'microseconds',
  'nanoseconds',
  'rfc2822',
  'apache',
  'day-first',
  'month-first',
  'month-name',
  'excel',
] as const;

/**
 * A named format, or a strftime pattern with a percent sign, such as `%d/%m/%Y %H:%M`. `iso`: ISO 8601 and similar.
 * `year-first`: `2024.12.31 23:59`, `2024-12-31 11:59 PM` and `20241231235900`. `seconds` to `nanoseconds`: since 1970.
 * `day-first` and `month-first`: `31/12/2024 23:59`. `month-name`: English names, as in `Dec 31, 2024 @ 23:59:00` and
 * `31-Dec-2024 11:59 PM`. `excel`: days as spreadsheets count them, `45657.9993`.
 */
export type TimeFormat = (typeof timeFormats)[number] | `${string}%${string}`;
