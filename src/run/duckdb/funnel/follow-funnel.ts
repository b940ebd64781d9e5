import { tellUnknown } from '../session/rows-in.ts';
import { invariant } from '../../../ask/invariant.ts';
import { AbortedError } from '../../../ask/sluice-error.ts';
import { askedDates } from '../../../plan/computed/asked-dates.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { AnswerFacts } from '../../backend.ts';
import type { FollowedFunnel, FollowFunnelOptions, FunnelUsers, FunnelUserStream } from '../../followed-funnel.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import { askCompanions, type EngineQuestion, type EngineSession, steadily, toFacts } from '../session/answer.ts';
import { withMore } from '../../analysis/more-facts.ts';
import { followPlan, funnelStatement } from './answer-funnel.ts';
import { followUsers } from './follow-users.ts';
import { type FollowedUsers, openLeftOut, toUncounted } from '../../analysis/funnel/followed-users.ts';
import { namedEvents, planToProgram } from '../../analysis/funnel/funnel-plan.ts';

/** All figures of a funnel except the users' identities. Errors: as `answerFunnel`. */
export async function followFunnel(
  session: EngineSession,
  plan: Plan,
  { signal, ...options }: FollowFunnelOptions = {},
): Promise<FollowedFunnel & { readonly facts: AnswerFacts }> {
  const question = toQuestion(plan);
  const beside = askCompanions(session, question, signal);
  const followed = await followPlan(session, plan, { ...options, times: true }, signal);
  const { all, byValue, byEntry } = followed;
  const lacking = await tellUnknown(session, plan, namedEvents(plan, all.reached), signal);
  const facts = toFacts(session, question, [], await beside());
  return { all, byValue, byEntry, facts: withMore(facts, { uncounted: toUncounted(plan, followed), lacking }) };
}

/** A funnel's users in batches of some thousand, unordered. Errors: as `answerFunnel`, also during iteration. */
export async function streamFunnelUsers(
  session: EngineSession,
  plan: Plan,
  { signal, byEntry }: Omit<FollowFunnelOptions, 'bucketOf'> = {},
): Promise<FunnelUserStream> {
  const question = toQuestion(plan);
  const beside = askCompanions(session, question, signal);
  const program = planToProgram(plan);
  const leftOut = openLeftOut();
  const lacking = await tellUnknown(session, plan, namedEvents(plan), signal);
  // Mend files before streaming: a started stream cannot be restarted.
  await session.events?.inspectPacking();
  const { first, users } = await steadily(
    session,
    question.statement,
    async (engine) => {
      const users = followUsers(engine, program, { ...askedDates(plan), byEntry, keys: true, signal });
      return { first: await users.next(), users };
    },
    signal,
  );
  let known: Awaited<ReturnType<typeof beside>> | undefined;

  async function* batches(): AsyncGenerator<FunnelUsers, void, undefined> {
    try {
      for (let next = first; !next.done; next = await users.next()) {
        leftOut.add(next.value);
        if (next.value.count > 0) yield named(next.value);
      }
    } catch (error) {
      throw error instanceof AbortedError
        ? error
        : await toBackendError(error, { ...session.circumstances, statement: question.statement.text });
    } finally {
      await users.return();
    }
    known = await beside();
  }

  const facts = () =>
    withMore(toFacts(session, question, [], known), { uncounted: toUncounted(plan, leftOut), lacking });
  return { batches: batches(), facts };
}

function named({ count, depth, entry, keys, values }: FollowedUsers): FunnelUsers {
  invariant(keys, 'users come with their keys');
  return { count, depth, entry, keys, values };
}

function toQuestion(plan: Plan): EngineQuestion {
  return {
    statement: funnelStatement(plan),
    uncounted: [],
    total: undefined,
    reach: 'some',
    ranged: true,
    timed: true,
  };
}
