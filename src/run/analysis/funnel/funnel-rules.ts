import type { FunnelOrder } from '../../../ask/funnel/funnel.ts';
import type { UserEvents } from './user-events.ts';

/** A funnel for the walk over one user's events. All times in microseconds. */
export interface FunnelRules {
  readonly order: FunnelOrder;
  readonly window: number;
  readonly steps: readonly {
    /** Index of what its events must meet; equal steps have the same. */ readonly condition: number /** Infinity where only the window counts. */;
    readonly within: number;
  }[];
  readonly exclusions: readonly { readonly condition: number; readonly from: number; readonly to: number }[];
}

/** One user's progress. The object is reused for the next user. */
export interface Attempt {
  /** Number of steps of the furthest valid attempt; 0 if the user is not counted. */
  depth: number;
  /** True if depth is 0 because excluded events spoiled all attempts. */
  spoiled: boolean;
  /**
   * The times of the first furthest attempt, `depth` of them. No other attempt of this depth has an earlier event at
   * any step.
   */
  readonly times: Float64Array;
}

/** Determines a user's progress and writes it into `attempt`. */
export type FunnelWalk = (events: UserEvents, attempt: Attempt) => void;
