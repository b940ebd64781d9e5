import { followedWords } from '../../../ask/analysis/followed.ts';
import { funnelOf } from '../../../plan/analysis/funnel/bind-funnel.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { AnswerFacts } from '../../backend.ts';

/** Users who reached at least the first step, as columns. The consumer may keep the arrays. */
export interface FollowedUsers {
  readonly count: number;
  /** Number of steps that each user reached. */
  readonly depth: Int32Array;
  /** Each user's entry: epoch milliseconds, rounded down. */
  readonly entry: Float64Array;
  /** Milliseconds from the first step to each step, user by user; 0 for steps not reached. */
  readonly elapsed: Float64Array;
  /** The breakdown's value of each user; undefined without a breakdown. */
  readonly values: readonly (string | null)[] | undefined;
  /** Undefined if not requested. */
  readonly keys: readonly string[] | undefined;
  /** Users that are not counted, because excluded events spoiled all their attempts. */
  readonly spoiled: number;
  /** The number of events that were read and have no user. */
  readonly withoutUser: number;
  /** The number of users' events that lack a held value. */
  readonly unheld: number;
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
  unheld: 0,
};

/** The events and users that no figure of a funnel includes. */
export type LeftOut = Pick<FollowedUsers, 'withoutUser' | 'unheld' | 'spoiled'>;

/** Adds up what batches of users leave out. */
export function openLeftOut(): LeftOut & { add(users: LeftOut): void } {
  const total = { spoiled: 0, withoutUser: 0, unheld: 0 };
  return Object.assign(total, {
    add({ spoiled, withoutUser, unheld }: LeftOut) {
      total.spoiled += spoiled;
      total.withoutUser += withoutUser;
      total.unheld += unheld;
    },
  });
}

/** The same for the facts of an answer. */
export function toUncounted(plan: Plan, { withoutUser, unheld, spoiled }: LeftOut): AnswerFacts['uncounted'] {
  const { one, many } = followedWords(computedHere(funnelOf(plan)).definition);
  return [
    { what: `events without ${one}`, rows: withoutUser },
    { what: 'events without a value of a held dimension', rows: unheld },
    { what: `${many} whose attempts were excluded by an event`, rows: spoiled },
  ];
}
