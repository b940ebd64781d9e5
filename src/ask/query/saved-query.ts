import type { ChartPreference } from '../chart/chart-preference.ts';
import type { Query } from './query.ts';

export const fillModes = ['auto', 'all', 'none'] as const;

/** Which gaps in a time series to fill: days by the platform's rule (`auto`), every granularity (`all`), or none. */
export type FillMode = (typeof fillModes)[number];

/** A query file: `{title?, description?, query, fill?, fillWith?, chart?}`. */
export interface SavedQuery {
  /** What the query answers, for lists and charts. */
  readonly title?: string | undefined;
  /** More about it, for people. */
  readonly description?: string | undefined;
  /** The query. */
  readonly query: Query;
  /** Which gaps in a time series to fill. `auto` by default. */
  readonly fill?: FillMode | undefined;
  /** 0 fills averages, ratios and extremes with 0 as well, as the platform does. By default they become null. */
  readonly fillWith?: 0 | undefined;
  /** The preferred chart. */
  readonly chart?: ChartPreference | undefined;
}
