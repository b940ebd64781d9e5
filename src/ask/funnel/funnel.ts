import type { EventMatch } from '../analysis/event-match.ts';
import type { Filter } from '../query/query.ts';

/** A funnel as its file says it: what people do one after the other, and how long they may take. Plain data. */
export interface Funnel {
  /** The slug of the file's name: the funnel's cube is called so. */
  readonly name: string;
  /** How long after the first step the last one may happen, ends included. */
  readonly secondsToConvert: number;
  /** Two or more. */
  readonly steps: readonly FunnelStep[];
  /** `ordered`: other events may come between. `strict`: the steps are neighbours. `unordered`: any order. */
  readonly order: FunnelOrder;
  /** Whose events are followed. */
  readonly by: 'user' | 'session';
  /** Only events for which all of them hold are looked at. */
  readonly where: readonly Filter[];
  readonly exclude: readonly FunnelExclusion[];
  readonly breakdown: FunnelBreakdown | undefined;
  /** The file's `sluice` key changes what it means, so that only local engines can answer it. */
  readonly extended: boolean;
}

export const funnelOrders = ['ordered', 'strict', 'unordered'] as const;

export type FunnelOrder = (typeof funnelOrders)[number];

export interface FunnelStep extends EventMatch {
  /** Unique within the funnel. */
  readonly name: string;
  /** Seconds since the step before, ends included; undefined: only the funnel's own window counts. */
  readonly within: number | undefined;
}

/** An event that spoils an attempt when it happens between two steps. */
export interface FunnelExclusion extends EventMatch {
  /** Index of the step after which it spoils. */
  readonly from: number;
  /** Index of the step before which it spoils. */
  readonly to: number;
}

export interface FunnelBreakdown {
  /** Full name of a dimension of events: `TrackedEvents.agentName`. */
  readonly dimension: string;
  /** Whose value counts: that of the first step's event, of the last one reached, or of the step with this index. */
  readonly attribution: 'first' | 'last' | number;
}

/** Units by whose beginnings the entries of a funnel can be told apart. */
export const trendUnits = ['day', 'week', 'month'] as const;

export type TrendUnit = (typeof trendUnits)[number];
