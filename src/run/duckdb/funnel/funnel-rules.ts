import type { FunnelOrder } from '../../../ask/funnel/funnel.ts';
import type { UserEvents } from './user-events.ts';

/** A funnel as a walk over one user's events needs it: all times in microseconds. */
export interface FunnelRules {
  readonly order: FunnelOrder;
  readonly window: number;
  readonly steps: readonly {
    /** Index of what its events must meet; equal steps have the same. */ readonly condition: number /** Infinity where only the window counts. */;
    readonly within: number;
  }[];
  readonly exclusions: readonly { readonly condition: number; readonly from: number; readonly to: number }[];
}

/** How far one user came. It is used again for the next user. */
export interface Attempt {
  /** So many steps of the furthest attempt that counts; 0: the user counts nowhere. */
  depth: number;
  /** Depth is 0 because excluded events spoiled all that would have counted. */
  spoiled: boolean;
  /**
   * The times of the first furthest attempt, `depth` of them: no other attempt of this depth has an earlier event at
   * any step.
   */
  readonly times: Float64Array;
}

/** Finds how far a user came, in `attempt`. */
export type FunnelWalk = (events: UserEvents, attempt: Attempt) => void;
