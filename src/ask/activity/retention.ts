import type { EventMatch } from '../analysis/event-match.ts';
import type { Filter } from '../query/query.ts';

/** Who comes back after a first event, as a file says it. Plain data. */
export interface Retention {
  /** The slug of the file's name: the cube is called so. */
  readonly name: string;
  /** Puts a user into a cohort. */
  readonly start: EventMatch;
  /** Brings a user back. */
  readonly comeBack: EventMatch;
  /** Only events for which all of them hold are looked at. */
  readonly where: readonly Filter[];
  readonly cohorts: CohortRule;
  /** The length of a cohort's period and, unless `window` is `24h`, of the periods after it. */
  readonly period: ActivityPeriod;
  /** How many periods each cohort is followed through, its own included. */
  readonly periods: number;
  /** `24h`: periods of 24 hours from each user's own start. */
  readonly window: RetentionWindow;
  /** How often a user must come back within one period to count in it. */
  readonly least: number;
  /** Users count in a period who come back in it or in a later one. */
  readonly cumulative: boolean;
  readonly breakdown: ActivityBreakdown | undefined;
  /** What is added up over the users of a period, besides their number. */
  readonly value?: RetentionValue | undefined;
}

/**
 * The property's numbers in a user's events of the period: starts in period 0, returns in the later ones. They are
 * added up for each user first, 0 without any; then over the users who count in the period, or as their mean.
 */
export interface RetentionValue {
  readonly compute: 'sum' | 'avg';
  /** Name of the property: `props.amount`. */
  readonly property: string;
}

/**
 * `recurring`: a user is in the cohort of every period with a start. `first_time`: only in that of the first start.
 * `first_ever`: the same, but if the first event of the start's type does not meet its conditions, in none.
 */
export const cohortRules = ['recurring', 'first_time', 'first_ever'] as const;
export type CohortRule = (typeof cohortRules)[number];

export const retentionWindows = ['calendar', '24h'] as const;
export type RetentionWindow = (typeof retentionWindows)[number];

/** Calendar units that activity is counted in, shortest first. */
export const activityPeriods = ['hour', 'day', 'week', 'month'] as const;
export type ActivityPeriod = (typeof activityPeriods)[number];

export interface ActivityBreakdown {
  /** Full name of a dimension of events: `TrackedEvents.agentName`. */
  readonly dimension: string;
  /** So many values stay, those with most users; the rest is one, `(other)`. */
  readonly limit: number;
}

/** Stands for the values beyond a breakdown's limit. */
export const otherValues = '(other)';
