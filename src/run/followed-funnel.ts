import type { Plan } from '../plan/plan.ts';
import type { AnswerFacts, FurtherAnswers } from './backend.ts';

/** Results of following the users of a funnel, beyond the rows of an ordinary answer. */
export interface FollowedFunnel {
  readonly all: FunnelFigures;
  /** By values of the funnel's breakdown, text before null; undefined without a breakdown. */
  readonly byValue: readonly (FunnelFigures & { readonly value: string | null })[] | undefined;
  /** By bucket of entry, ascending, without empty buckets; undefined if not requested. */
  readonly byEntry: readonly { readonly bucket: number; readonly reached: readonly number[] }[] | undefined;
}

export interface FunnelFigures {
  /** For each step, the number of users who reached at least this step. */
  readonly reached: readonly number[];
  /** Per step, milliseconds since the first step; undefined if nobody reached it. */
  readonly toConvert: readonly ({ readonly mean: number; readonly median: number; readonly p90: number } | undefined)[];
}

export interface FollowFunnelOptions {
  /** If set, the plan's dates limit only the first steps; conversions continue to the end of their windows. */
  readonly byEntry?: boolean | undefined;
  /** The bucket of a user's entry (epoch milliseconds). */
  readonly bucketOf?: ((entry: number) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Users or sessions that reached at least the first step, in columns. */
export interface FunnelUsers {
  readonly count: number;
  /** The number of steps that each reached. */
  readonly depth: Int32Array;
  /** The time of each first step in epoch milliseconds. */
  readonly entry: Float64Array;
  readonly keys: readonly string[];
  /** The value of the breakdown for each; undefined without a breakdown. */
  readonly values: readonly (string | null)[] | undefined;
}

/** Users in no particular order. */
export interface FunnelUserStream {
  readonly batches: AsyncIterable<FunnelUsers>;
  /** Complete only after the last batch. */
  facts(): AnswerFacts;
}

/** Follows the users of a funnel's plan. */
export interface FunnelFollower {
  /** Rejects like `Backend.run`. */
  follow(plan: Plan, options?: FollowFunnelOptions): Promise<FollowedFunnel & { readonly facts: AnswerFacts }>;
  /** Streams the users. Rejects like `Backend.run`, and so may each step of the batches. */
  streamUsers(plan: Plan, options?: Omit<FollowFunnelOptions, 'bucketOf'>): Promise<FunnelUserStream>;
}

/** The further answers of a local engine about funnels. */
export const followedFunnels: FurtherAnswers<FunnelFollower> = { analysis: 'funnel' };
