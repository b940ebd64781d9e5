import type { EventMatch } from '../analysis/event-match.ts';
import type { Followed } from '../analysis/followed.ts';
import type { Filter } from '../query/query.ts';

/** A retention analysis: who comes back after a first event. Plain data. */
export interface Retention extends Followed {
  /** The slug of the file's name, and the name of the cube. */
  readonly name: string;
  /** The events that put a user into a cohort. */
  readonly start: EventMatch;
  /** The events that count as coming back. */
  readonly comeBack: EventMatch;
  /** Only events that match all of these count. */
  readonly where: readonly Filter[];
  readonly cohorts: CohortRule;
  /** The length of a cohort's period and, unless `window` is `24h`, of the periods after it. */
  readonly period: ActivityPeriod;
  /** Number of periods to follow each cohort, including its own. */
  readonly periods: number;
  /** `24h`: periods of 24 hours that begin at each user's start. */
  readonly window: RetentionWindow;
  /** How many times a user must come back within a period to count in it. */
  readonly least: number;
  /** If true, a user counts in a period by coming back in it or in a later one. */
  readonly cumulative: boolean;
  readonly breakdown: ActivityBreakdown | undefined;
  /** The sum or mean of a property over the users of a period. */
  readonly value?: RetentionValue | undefined;
}

/**
 * Sums a property over each user's events in the period: start events in period 0, return events in later periods, 0 if
 * there are none. Then takes the sum or the mean over the users who count in the period.
 */
export interface RetentionValue {
  readonly compute: 'sum' | 'avg';
  /** Name of the property, or of a product: `props.amount`, `props.price*props.quantity`. */
  readonly property: string;
}

/**
 * `recurring`: a user joins the cohort of every period in which a start event happens. `first_time`: a user joins only
 * the cohort of the first start event. `first_ever`: like `first_time`, but a user joins no cohort if the first event
 * of the start's type fails its conditions.
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
  /** Keeps at most this many values, the ones with the most users. The others become `(other)`. */
  readonly limit: number;
}

/** The value that replaces the values beyond a breakdown's limit. */
export const otherValues = '(other)';
