import type { EventMatch } from '../analysis/event-match.ts';
import { type Followed, followedWords, spellDimension } from '../analysis/followed.ts';
import type { Filter } from '../query/query.ts';

/** A funnel: steps, and the time that users have to complete them. Plain data. */
export interface Funnel extends Followed {
  /** The slug of the file's name, and the name of the funnel's cube. */
  readonly name: string;
  /** Maximum seconds from the first step to the last, inclusive. */
  readonly secondsToConvert: number;
  /** Two or more. */
  readonly steps: readonly FunnelStep[];
  /** `ordered`: other events may come between. `strict`: the steps are adjacent. `unordered`: any order. */
  readonly order: FunnelOrder;
  /** Whether to follow the events of a user or of a session. */
  readonly by: 'user' | 'session';
  /** Only events that match all of these count. */
  readonly where: readonly Filter[];
  readonly exclude: readonly FunnelExclusion[];
  /**
   * Full names of dimensions of events that have the same values in all steps of an attempt: `TrackedEvents.props.sku`.
   * Each combination of values is followed as if its events were those of a user of their own: only these can be steps,
   * excluded events, or events between strict steps. Events without one of the values count for none. The combination
   * with the furthest attempt counts for its user; of several, the one whose first furthest attempt has the earliest
   * times, compared step by step.
   */
  readonly hold: readonly string[];
  readonly breakdown: FunnelBreakdown | undefined;
  /** True if the file's `sluice` key changes its meaning, so that only local engines can answer it. */
  readonly extended: boolean;
}

/** What a funnel counts, in words: `sessions`, or as `followedWords`. */
export function countedWords({ by, follow }: Pick<Funnel, 'by' | 'follow'>): {
  readonly many: string;
  readonly title: string;
} {
  return by === 'session' ? { many: 'sessions', title: 'Sessions' } : followedWords({ follow });
}

/** The names of held dimensions, as people write them: `docHost and "Plan type"`. */
export function spellHeld(hold: Funnel['hold']): string {
  return hold.map(spellDimension).join(' and ');
}

export const funnelOrders = ['ordered', 'strict', 'unordered'] as const;

export type FunnelOrder = (typeof funnelOrders)[number];

export interface FunnelStep extends EventMatch {
  /** Unique within the funnel. */
  readonly name: string;
  /** Maximum seconds since the previous step, inclusive; undefined if only the conversion window counts. */
  readonly within: number | undefined;
}

/** An event that ends an attempt if it happens between two steps. */
export interface FunnelExclusion extends EventMatch {
  /** Index of the step after which the exclusion applies. */
  readonly from: number;
  /** Index of the step before which the exclusion applies. */
  readonly to: number;
}

export interface FunnelBreakdown {
  /** Full name of a dimension of events: `TrackedEvents.agentName`. */
  readonly dimension: string;
  /** Takes the value from the event of the first step, of the last step reached, or of the step with this index. */
  readonly attribution: 'first' | 'last' | number;
}

/** Granularities for grouping the entries of a funnel by time. */
export const trendUnits = ['day', 'week', 'month'] as const;

export type TrendUnit = (typeof trendUnits)[number];
