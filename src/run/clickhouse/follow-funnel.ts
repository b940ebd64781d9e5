import { invariant } from '../../ask/invariant.ts';
import { funnelRows } from '../../plan/analysis/funnel/bind-funnel.ts';
import { withoutDates } from '../../plan/computed/asked-dates.ts';
import { listsUsers } from '../../plan/computed/lists-users.ts';
import type { Plan } from '../../plan/plan.ts';
import { clickHouse } from '../../plan/sql/clickhouse/dialect.ts';
import type { Expression } from '../../plan/sql/expression.ts';
import { type Answer, type AnswerFacts, nothingRejected } from '../backend.ts';
import { type FunnelAnswer, sumUpUsers } from '../analysis/funnel/sum-up-users.ts';
import { type FollowedUsers, openLeftOut, toUncounted } from '../analysis/funnel/followed-users.ts';
import { namedEvents } from '../analysis/funnel/funnel-plan.ts';
import { withMore } from '../analysis/more-facts.ts';
import { tellUnknownIn } from '../analysis/tell-unknown.ts';
import type { FunnelFollower, FunnelUsers } from '../followed-funnel.ts';
import type { ServerStatement } from './connection.ts';
import { relationOf, rowsIn } from './question.ts';
import type { ServerSession } from './server-session.ts';
import { followUsers } from './follow-each.ts';
import { figuresStatement, mostTogether, readFigures, type Wanted } from './funnel-figures.ts';
import { countLeftOut, gather, type Options } from './gather-funnel.ts';

/** The statement for a funnel's figures. */
export async function funnelStatement(session: ServerSession, plan: Plan): Promise<ServerStatement> {
  return figuresStatement(await gather(session, plan, {}), {});
}

/** Follows the users of a plan's funnel. */
export async function* followUsersOf(
  session: ServerSession,
  plan: Plan,
  options: Options,
): AsyncGenerator<FollowedUsers, void, undefined> {
  yield* followUsers(session, await gather(session, plan, options), options);
}

/**
 * The server computes the figures. If some users are hard in every walk, it returns a row for each of the other users,
 * and the events of the hard ones, which are followed here.
 */
async function follow(session: ServerSession, plan: Plan, options: Wanted): Promise<FunnelAnswer> {
  const gathering = await gather(session, plan, options);
  const { bucketOf, signal } = options;
  const [figures, leftOut] = await Promise.all([
    readFigures(session, gathering, options, bucketOf && mostTogether),
    countLeftOut(session, gathering, signal),
  ]);
  if (figures) return { ...figures, ...leftOut };
  return sumUpUsers(followUsers(session, gathering, options), gathering.program, options);
}

/** Answers a question over a funnel's users from computed rows; see `answerFunnel` of the embedded engine. */
export async function answerFunnel(
  session: ServerSession,
  plan: Plan,
  answerOver: (plan: Plan, relation: Expression) => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const over = { ...withoutDates(plan), cohorts: [] };
  if (listsUsers(plan)) {
    const users: (readonly [number, string | null, string])[] = [];
    const leftOut = openLeftOut();
    const lacking = await tellUnknownIn(rowsIn(session, signal), plan, namedEvents(plan), clickHouse);
    for await (const some of followUsersOf(session, plan, { keys: true, signal })) {
      leftOut.add(some);
      for (const [at, key] of (some.keys ?? []).entries())
        for (let step = 1; step <= some.depth[at]!; step++) users.push([step, some.values?.[at] ?? null, key]);
    }
    const answered = await answerOver(
      over,
      relationOf(users, { step: 'Int64', breakdown: 'Nullable(String)', user_key: 'String' }),
    );
    return { ...answered, facts: () => withMore(answered.facts(), { uncounted: toUncounted(plan, leftOut), lacking }) };
  }
  const counted = await follow(session, plan, { signal });
  const lacking = await tellUnknownIn(
    rowsIn(session, signal),
    plan,
    namedEvents(plan, counted.all.reached),
    clickHouse,
  );
  const shape = { step: 'Int64', breakdown: 'Nullable(String)', reached: 'Int64' };
  const relation = relationOf(funnelRows(plan, counted), shape);
  const answered = await answerOver(over, relation);
  return { ...answered, facts: () => withMore(answered.facts(), { uncounted: toUncounted(plan, counted), lacking }) };
}

/** Results of a funnel beyond rows. `factsOf`: facts about the events. */
export function openFollower(
  session: ServerSession,
  factsOf: (signal: AbortSignal | undefined) => Promise<AnswerFacts>,
): FunnelFollower {
  return {
    async follow(plan, { signal, ...options } = {}) {
      const followed = await follow(session, plan, { ...options, times: true, signal });
      const { all, byValue, byEntry } = followed;
      const lacking = await tellUnknownIn(rowsIn(session, signal), plan, namedEvents(plan, all.reached), clickHouse);
      const facts = withMore(await factsOf(signal), { uncounted: toUncounted(plan, followed), lacking });
      return { all, byValue, byEntry, facts };
    },
    async streamUsers(plan, { signal, byEntry } = {}) {
      const lacking = await tellUnknownIn(rowsIn(session, signal), plan, namedEvents(plan), clickHouse);
      const gathering = await gather(session, plan, { byEntry });
      const leftOut = openLeftOut();
      let facts: AnswerFacts = { uncounted: [], rejected: nothingRejected };
      async function* batches(): AsyncGenerator<FunnelUsers, void, undefined> {
        for await (const users of followUsers(session, gathering, { byEntry, keys: true, signal })) {
          leftOut.add(users);
          if (users.count === 0) continue;
          const { count, depth, entry, keys, values } = users;
          invariant(keys, 'users come with their keys');
          yield { count, depth, entry, keys, values };
        }
        facts = await factsOf(signal);
      }
      return { batches: batches(), facts: () => withMore(facts, { uncounted: toUncounted(plan, leftOut), lacking }) };
    },
  };
}
