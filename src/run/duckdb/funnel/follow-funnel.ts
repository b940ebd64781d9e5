import { invariant } from '../../../ask/invariant.ts';
import { AbortedError } from '../../../ask/sluice-error.ts';
import { funnelOf } from '../../../plan/analysis/funnel/bind-funnel.ts';
import { askedDates } from '../../../plan/computed/asked-dates.ts';
import type { Plan } from '../../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { bound, type Expression, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import type { AnswerFacts } from '../../backend.ts';
import type {
  FollowedFunnel,
  FollowFunnelOptions,
  FunnelUsers,
  FunnelUserStream,
  NearMiss,
} from '../../followed-funnel.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import { askCompanions, type EngineQuestion, type EngineSession, steadily, toFacts } from '../session/answer.ts';
import { tellUnknown, withLacking } from '../session/tell-unknown.ts';
import { followPlan, funnelStatement, withLeftOut } from './answer-funnel.ts';
import { followUsers } from './follow-users.ts';
import type { FollowedUsers } from './followed-users.ts';
import { namedEvents, planToProgram } from './funnel-plan.ts';

/** The maximum number listed for each step. */
const mostOfStep = 3;

/**
 * For steps that nobody reached, and whose targets occur nowhere: paths that differ from them by case or a slash at the
 * end alone. Errors: as `answerFunnel`.
 */
function findNearMisses(
  session: EngineSession,
  plan: Plan,
  reached: readonly number[],
  signal: AbortSignal | undefined,
): Promise<readonly NearMiss[]> {
  return findNearMissesIn(
    async (expression) => {
      const { text, parameters } = printStatement(expression, duckDb);
      const statement = { text, parameters: parameters.map(toDuckDbValue), columns: [], counters: 0, zone: plan.zone };
      return steadily(session, statement, (engine) => engine.rows(text, statement.parameters), signal);
    },
    plan,
    reached,
  );
}

/** The same for any engine that gives the rows of a statement over `events`. */
export async function findNearMissesIn(
  rowsOf: (expression: Expression) => Promise<readonly (readonly unknown[])[]>,
  plan: Plan,
  reached: readonly number[],
): Promise<readonly NearMiss[]> {
  const wanted = (funnelOf(plan)?.definition.steps ?? []).flatMap(({ targets }, step) =>
    reached[step] === 0
      ? targets.filter(({ isPattern }) => !isPattern).map(({ path }) => ({ step, target: path }))
      : [],
  );
  if (wanted.length === 0) return [];
  const loose = [...new Set(wanted.map(({ target }) => loosened(target)))];
  const rows = await rowsOf(
    sql`SELECT doc_path, count(*) AS number_of_events FROM "events"
    WHERE coalesce(nullif(rtrim(lower(doc_path), '/'), ''), '/') IN (${joined(
      loose.map((value) => bound({ type: 'text', value })),
      ', ',
    )})
    GROUP BY doc_path ORDER BY number_of_events DESC, doc_path LIMIT ${trusted('1000')}`,
  );
  const found = rows.map(([path, events]) => ({ path: String(path), events: Number(events) }));
  return wanted.flatMap(({ step, target }) => {
    if (found.some(({ path }) => path === target)) return [];
    return found
      .filter(({ path }) => loosened(path) === loosened(target))
      .slice(0, mostOfStep)
      .map((near) => ({ step, target, ...near }));
  });
}

function loosened(path: string): string {
  return path.toLowerCase().replace(/\/+$/, '') || '/';
}

/** Everything that is known of a funnel's users but who they are. Errors: as `answerFunnel`. */
export async function followFunnel(
  session: EngineSession,
  plan: Plan,
  { signal, ...options }: FollowFunnelOptions = {},
): Promise<FollowedFunnel & { readonly facts: AnswerFacts }> {
  const question = toQuestion(plan);
  const beside = askCompanions(session, question, signal);
  const followed = await followPlan(session, plan, { ...options, times: true }, signal);
  const { all, byValue, byEntry } = followed;
  const nearMisses = await findNearMisses(session, plan, all.reached, signal);
  const { definition, matches, conditions } = namedEvents(plan, all.reached);
  const near = new Set(nearMisses.map(({ target }) => target));
  // Near misses say the same, and more.
  const further = matches.map((match) => ({ ...match, targets: match.targets.filter(({ path }) => !near.has(path)) }));
  const unknown = await tellUnknown(session, plan, { definition, matches: further, conditions }, signal);
  const facts = withLeftOut(toFacts(session, question, [], await beside()), followed);
  return { all, byValue, byEntry, nearMisses, facts: withLacking(facts, unknown) };
}

/** A funnel's users, some thousand at a time, in no order. Errors: as `answerFunnel`; so may each step. */
export async function streamFunnelUsers(
  session: EngineSession,
  plan: Plan,
  { signal, byEntry }: Omit<FollowFunnelOptions, 'bucketOf'> = {},
): Promise<FunnelUserStream> {
  const question = toQuestion(plan);
  const beside = askCompanions(session, question, signal);
  const program = planToProgram(plan);
  const leftOut = { spoiled: 0, withoutUser: 0 };
  // Files that have to be mended are met before anyone comes, and no stream is begun twice.
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
        leftOut.spoiled += next.value.spoiled;
        leftOut.withoutUser += next.value.withoutUser;
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

  return { batches: batches(), facts: () => withLeftOut(toFacts(session, question, [], known), leftOut) };
}

function named({ count, depth, entry, keys, values }: FollowedUsers): FunnelUsers {
  invariant(keys, 'users come with their keys');
  return { count, depth, entry, keys, values };
}

function toQuestion(plan: Plan): EngineQuestion {
  return { statement: funnelStatement(plan), uncounted: [], total: undefined, reach: 'some' };
}
