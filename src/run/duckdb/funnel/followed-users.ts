/** Users who reached the first step at least, column by column; the arrays are the reader's to keep. */
export interface FollowedUsers {
  readonly count: number;
  /** How many steps each reached. */
  readonly depth: Int32Array;
  /** When each began: epoch milliseconds, rounded down. */
  readonly entry: Float64Array;
  /** Milliseconds from the first step to each step that was reached, of one user after the other; 0 past the last. */
  readonly elapsed: Float64Array;
  /** The value of the breakdown for each; undefined without a breakdown. */
  readonly values: readonly (string | null)[] | undefined;
  /** undefined: not asked for. */
  readonly keys: readonly string[] | undefined;
  /** So many more users count nowhere, as excluded events spoiled all that would have counted. */
  readonly spoiled: number;
  /** The number of events that were read and have no user. */
  readonly withoutUser: number;
}

export const noUsers: FollowedUsers = {
  count: 0,
  depth: new Int32Array(0),
  entry: new Float64Array(0),
  elapsed: new Float64Array(0),
  values: undefined,
  keys: undefined,
  spoiled: 0,
  withoutUser: 0,
};
