import type { Plan } from '../plan/plan.ts';
import type { AnswerFacts, FurtherAnswers } from './backend.ts';

/** What following the users of a funnel tells, beyond the rows of an ordinary answer. */
export interface FollowedFunnel {
  readonly all: FunnelFigures;
  /** By the values of the funnel's breakdown, text before null; undefined: it has none. */
  readonly byValue: readonly (FunnelFigures & { readonly value: string | null })[] | undefined;
  /** By bucket of entry, ascending, without empty buckets; undefined if not requested. */
  readonly byEntry: readonly { readonly bucket: number; readonly reached: readonly number[] }[] | undefined;
}

export interface FunnelFigures {
  /** Step by step, those who reached at least it. */
  readonly reached: readonly number[];
  /** Per step, milliseconds since the first step; undefined if nobody reached it. */
  readonly toConvert: readonly ({ readonly mean: number; readonly median: number; readonly p90: number } | undefined)[];
}

export interface FollowFunnelOptions {
  /** The plan's dates are for the first steps alone; conversions run on to the ends of their windows. */
  readonly byEntry?: boolean | undefined;
  /** The bucket that users of this entry (epoch milliseconds) are counted in. */
  readonly bucketOf?: ((entry: number) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Users, or sessions, who reached the first step at least, column by column. */
export interface FunnelUsers {
  readonly count: number;
  /** How many steps each reached. */
  readonly depth: Int32Array;
  /** When each began: epoch milliseconds. */
  readonly entry: Float64Array;
  readonly keys: readonly string[];
  /** The value of the breakdown for each; undefined without a breakdown. */
  readonly values: readonly (string | null)[] | undefined;
}

/** Users as they come, in no order. */
export interface FunnelUserStream {
  readonly batches: AsyncIterable<FunnelUsers>;
  /** Complete only after the last batch. */
  facts(): AnswerFacts;
}

/** Follows the users of a plan that asks a funnel. */
export interface FunnelFollower {
  /** Rejects as `Backend.run`. */
  follow(plan: Plan, options?: FollowFunnelOptions): Promise<FollowedFunnel & { readonly facts: AnswerFacts }>;
  /** The users themselves. Rejects as `Backend.run`; so may each step of the batches. */
  streamUsers(plan: Plan, options?: Omit<FollowFunnelOptions, 'bucketOf'>): Promise<FunnelUserStream>;
}

/** What a local engine tells of funnels beyond rows. */
export const followedFunnels: FurtherAnswers<FunnelFollower> = { analysis: 'funnel' };
