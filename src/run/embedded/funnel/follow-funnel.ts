import { invariant } from '../../../ask/invariant.ts';
import { AbortedError } from '../../../ask/sluice-error.ts';
import { funnelRange } from '../../../plan/funnel-range.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { AnswerFacts } from '../../backend.ts';
import type { FollowedFunnel, FollowFunnelOptions, FunnelUsers } from '../../followed-funnel.ts';
import { followUsers } from '../../funnel/follow-users.ts';
import type { FollowedUsers } from '../../funnel/followed-users.ts';
import { followPlan, funnelStatement, withLeftOut } from './answer-funnel.ts';
import { askBeside, steadily, toFacts, type Question, type Session } from '../answer.ts';
import { planToProgram } from './funnel-plan.ts';
import { findNearMisses } from './near-misses.ts';
import { toBackendError } from '../to-backend-error.ts';

/** Everything that is known of a funnel's users but who they are. Errors: as `answerFunnel`. */
export async function followFunnel(session: Session, plan: Plan, { signal, ...options }: FollowFunnelOptions = {}): Promise<FollowedFunnel & { readonly facts: AnswerFacts }> {
  const question = toQuestion(plan);
  const beside = askBeside(session, question, signal);
  const followed = await followPlan(session, plan, { ...options, times: true }, signal);
  const { all, byValue, byEntry } = followed;
  return { all, byValue, byEntry, nearMisses: await findNearMisses(session, plan, all.reached, signal), facts: withLeftOut(toFacts(session, question, [], await beside()), followed) };
}

export interface FollowedUserStream {
  readonly batches: AsyncIterable<FunnelUsers>;
  /** Complete only after the last batch. */
  facts(): AnswerFacts;
}

/** A funnel's users, some thousand at a time, in no order. Errors: as `answerFunnel`; so may each step. */
export async function streamFunnelUsers(session: Session, plan: Plan, { signal, byEntry }: Omit<FollowFunnelOptions, 'bucketOf'> = {}): Promise<FollowedUserStream> {
  const question = toQuestion(plan);
  const beside = askBeside(session, question, signal);
  const program = planToProgram(plan);
  const leftOut = { spoiled: 0, withoutUser: 0 };
  // Files that have to be mended are met before anyone comes, and no stream is begun twice.
  await session.events?.inspectPacking();
  const { first, users } = await steadily(session, question.statement, async (engine) => {
    const users = followUsers(engine, program, { ...funnelRange(plan), byEntry, keys: true, signal });
    return { first: await users.next(), users };
  }, signal);
  let known: Awaited<ReturnType<typeof beside>> | undefined;

  async function* batches(): AsyncGenerator<FunnelUsers, void, undefined> {
    try {
      for (let next = first; !next.done; next = await users.next()) {
        leftOut.spoiled += next.value.spoiled;
        leftOut.withoutUser += next.value.withoutUser;
        if (next.value.count > 0) yield named(next.value);
      }
    } catch (error) {
      throw error instanceof AbortedError ? error : await toBackendError(error, { ...session.circumstances, statement: question.statement.text });
    } finally {
      await users.return();
    }
    known = await beside();
  }

  return { batches: batches(), facts: () => withLeftOut(toFacts(session, question, [], known), leftOut) };
}

function named({ count, depth, entry, keys }: FollowedUsers): FunnelUsers {
  invariant(keys, 'users come with their keys');
  return { count, depth, entry, keys };
}

function toQuestion(plan: Plan): Question {
  return { statement: funnelStatement(plan), uncounted: [], total: undefined, reach: 'some' };
}
