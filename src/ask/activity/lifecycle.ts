import type { EventMatch } from '../analysis/event-match.ts';
import type { Followed } from '../analysis/followed.ts';
import type { Filter } from '../query/query.ts';
import type { ActivityPeriod } from './retention.ts';

/** An analysis of when users are active, by one kind of event. Plain data. */
export interface ActiveUsers extends Followed {
  readonly name: string;
  /** The events that make a user active in a period. */
  readonly active: EventMatch;
  /** Only events that match all of these count. */
  readonly where: readonly Filter[];
  readonly period: ActivityPeriod;
}

/** A lifecycle analysis: new, returning, resurrecting and dormant users in each period. */
export type Lifecycle = ActiveUsers;

/**
 * `new`: first seen in this period, by any event. `returning`: also active in the previous period. `resurrecting`: seen
 * earlier, but not active in the previous period. `dormant`: active in the previous period only; counted as negative.
 */
export const lifecycleStatuses = ['new', 'returning', 'resurrecting', 'dormant'] as const;
