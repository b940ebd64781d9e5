import type { EventMatch } from '../analysis/event-match.ts';
import type { Filter } from '../query/query.ts';
import type { ActivityPeriod } from './retention.ts';

/** Who is new, stays, comes back or leaves, period by period, as a file says it. Plain data. */
export interface Lifecycle {
  readonly name: string;
  /** Makes a user active in a period. */
  readonly active: EventMatch;
  /** Only events for which all of them hold are looked at. */
  readonly where: readonly Filter[];
  readonly period: ActivityPeriod;
}

/**
 * `new`: seen for the first time, by any event. `returning`: active in the period before, too. `resurrecting`: not
 * active in the period before, but seen earlier. `dormant`: active in the period before alone; counted below 0.
 */
export const lifecycleStatuses = ['new', 'returning', 'resurrecting', 'dormant'] as const;
