import type { ChartPreference } from '../chart/chart-preference.ts';
import type { Query } from './query.ts';

export const fillModes = ['auto', 'all', 'none'] as const;

/** Which gaps in a time series to fill: days, and other buckets up to 10,000 (`auto`), all of them (`all`), or none. */
export type FillMode = (typeof fillModes)[number];

/**
 * A definition of an analysis, as in a file: `{retention: {start: 'signup', period: 'week'}}`. It has one key, which
 * also names its cube.
 */
export type InlineDefinition = Readonly<Record<string, object>>;

/** A query file: `{title?, description?, query, fill?, fillWith?, chart?}`. */
export interface SavedQuery {
  /** What the query answers, for lists and charts. */
  readonly title?: string | undefined;
  /** Details for people. */
  readonly description?: string | undefined;
  /** The query. */
  readonly query: Query;
  /** The definition of an analysis for this query alone. */
  readonly define?: InlineDefinition | undefined;
  /** Which gaps in a time series to fill. Defaults to `auto`. */
  readonly fill?: FillMode | undefined;
  /** 0 also fills averages, ratios and extremes with 0, as the platform does. By default they become null. */
  readonly fillWith?: 0 | undefined;
  /** The preferred chart. */
  readonly chart?: ChartPreference | undefined;
  /** The layout of a table for people, if it is pivoted. Analyses set it; files cannot. */
  readonly table?: TableLayout | undefined;
}

/** A query file. Instead of a query, it may have a question in one line, which only a model can resolve. */
export interface QueryFile extends Omit<SavedQuery, 'query'> {
  readonly query: Query | string;
}

/** Turns the values of the column `across` into columns that hold `values`. All are keys of columns. */
export interface TableLayout {
  readonly rows: readonly string[];
  readonly across: string;
  readonly values: readonly string[];
}
