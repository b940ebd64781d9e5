import type { EventMatch } from '../analysis/event-match.ts';
import type { Filter } from '../query/query.ts';
import type { ActivityPeriod } from './retention.ts';

/** In how many periods users are active, as a file says it. Plain data. */
export interface Stickiness {
  readonly name: string;
  readonly active: EventMatch;
  /** Only events for which all of them hold are looked at. */
  readonly where: readonly Filter[];
  readonly period: ActivityPeriod;
  /** So many periods are one slot, counted from the start of the range. */
  readonly every: number;
  /** How many events a slot must have to count: at least one. */
  readonly perSlot: { readonly operator: '>=' | '<=' | '='; readonly events: number };
  /** Users with so many slots or more. */
  readonly cumulative: boolean;
}
