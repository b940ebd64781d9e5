import type { ChartPreference } from '../chart/chart-preference.ts';
import type { Query } from './query.ts';

export const fillModes = ['auto', 'all', 'none'] as const;

/** Which gaps of a time series are filled: days under the platform's rule, every granularity, or none. */
export type FillMode = (typeof fillModes)[number];

/** A query file: `{title?, description?, query, fill?, fillWith?, chart?}`. */
export interface SavedQuery {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly query: Query;
  readonly fill?: FillMode | undefined;
  /** What filled cells hold instead of 0 for counts and null for averages: 0 follows the platform to the letter. */
  readonly fillWith?: 0 | undefined;
  /** How it is best drawn. */
  readonly chart?: ChartPreference | undefined;
}
