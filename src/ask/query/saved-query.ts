import type { ChartPreference } from '../chart/chart-preference.ts';
import type { Query } from './query.ts';

export const fillModes = ['auto', 'all', 'none'] as const;

/** Which gaps in a time series to fill: days by the platform's rule (`auto`), every granularity (`all`), or none. */
export type FillMode = (typeof fillModes)[number];

/**
 * What an analysis computes, as a file would have it: `{retention: {start: 'signup', period: 'week'}}`. One key; the
 * cube that it becomes has the name of the key.
 */
export type InlineDefinition = Readonly<Record<string, object>>;

/** A query file: `{title?, description?, query, fill?, fillWith?, chart?}`. */
export interface SavedQuery {
  /** What the query answers, for lists and charts. */
  readonly title?: string | undefined;
  /** More about it, for people. */
  readonly description?: string | undefined;
  /** The query. */
  readonly query: Query;
  /** A definition that the query asks and that no file has. */
  readonly define?: InlineDefinition | undefined;
  /** Which gaps in a time series to fill. `auto` by default. */
  readonly fill?: FillMode | undefined;
  /** 0 fills averages, ratios and extremes with 0 as well, as the platform does. By default they become null. */
  readonly fillWith?: 0 | undefined;
  /** The preferred chart. */
  readonly chart?: ChartPreference | undefined;
  /** How a table for people is laid out, if its rows are not the answer's. Files do not say it, analyses do. */
  readonly table?: TableLayout | undefined;
}

/** The values of the column `across` become columns, with `values` in them. Keys of columns. */
export interface TableLayout {
  readonly rows: readonly string[];
  readonly across: string;
  readonly values: readonly string[];
}
