import { askedDates, withoutDates } from '../../../plan/computed/asked-dates.ts';
import type { Plan } from '../../../plan/plan.ts';
import { funnelOf, funnelRows } from '../../../plan/analysis/funnel/bind-funnel.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import { bound, sql, trusted } from '../../../plan/sql/expression.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Answer, AnswerFacts } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { answerOverRows, countRows, questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineSession, steadily } from '../session/answer.ts';
import type { ProjectedStatement } from '../session/engine-analysis.ts';
import { tellUnknown, withLacking } from '../session/tell-unknown.ts';
import { computeFunnel, type ComputeOptions, type FunnelAnswer } from './compute-funnel.ts';
import { toEventCodes } from './event-codes.ts';
import { eventsStatement, usersOfSessions } from './events-statement.ts';
import { followUsers } from './follow-users.ts';
import { type LeftOut, openLeftOut } from './followed-users.ts';
import { namedEvents, overCodedEvents, planToProgram } from './funnel-plan.ts';
import type { FunnelProgram } from './funnel-program.ts';

/**
 * Answers an ordinary query on a funnel. It follows the users first; the query's filters, order and limit apply to the
 * resulting counts. Errors: as `answer`, and those of `toFunnelProgram`.
 */
export async function answerFunnel(session: EngineSession, plan: Plan, signal?: AbortSignal): Promise<Answer> {
  if (listsUsers(plan)) return answerUsers(session, plan, signal);
  const counted = await followPlan(session, plan, {}, signal);
  const unknown = await tellUnknown(session, plan, namedEvents(plan, counted.all.reached), signal);
  const rows = funnelRows(plan, counted).map(([step, value, users]) => [
    trusted(String(step)),
    value === null ? trusted('CAST(NULL AS VARCHAR)') : bound({ type: 'text', value }),
    trusted(String(users)),
  ]);
  const answered = await answerOverRows(
    session,
    { ...withoutDates(plan), cohorts: [] },
    { columns: ['step', 'breakdown', 'reached'], rows },
    signal,
  );
  return { ...answered, facts: () => withLacking(withLeftOut(answered.facts(), counted), unknown) };
}

/**
 * One row for each user and each step reached. The users of a session are those of its events that the funnel reads: a
 * tracker's session can have several users, or none.
 */
async function answerUsers(session: EngineSession, plan: Plan, signal: AbortSignal | undefined): Promise<Answer> {
  const program = planToProgram(plan);
  const dates = askedDates(plan);
  const followed = await steadily(
    session,
    funnelStatement(plan),
    async (engine) => {
      const keys: { readonly depth: number; readonly who: string; readonly value: string | null }[] = [];
      const left = openLeftOut();
      for await (const some of followUsers(engine, program, { ...dates, keys: true, signal })) {
        left.add(some);
        for (const [at, who] of (some.keys ?? []).entries())
          keys.push({ depth: some.depth[at] ?? 0, who, value: some.values?.[at] ?? null });
      }
      return { keys, left };
    },
    signal,
  );
  const json = bound({ type: 'text', value: JSON.stringify(followed.keys) });
  const reached = sql`(SELECT unnest(from_json(${json}, '[{"depth": "BIGINT", "who": "VARCHAR", "value": "VARCHAR"}]'), recursive := true)) AS reached`;
  const isBySession = funnelOf(plan)?.definition.by === 'session';
  const known = usersOfSessions(program, dates);
  const users = isBySession
    ? sql`(SELECT user_key, value, max(depth) AS depth FROM ${reached} JOIN (${known}) AS known USING (who) GROUP BY user_key, value) AS users`
    : sql`(SELECT who AS user_key, value, depth FROM ${reached}) AS users`;
  const relation = sql`(SELECT unnest(range(1, depth + 1)) AS step, value AS breakdown, user_key FROM ${users})`;
  const undated = { ...withoutDates(plan), cohorts: isBySession ? (plan.cohorts ?? []) : [] };
  const unknown = await tellUnknown(session, plan, namedEvents(plan), signal);
  const [answered, nobodys] = await Promise.all([
    answer(session, questionOverRelation(undated, relation), signal),
    isBySession
      ? countRows(
          session,
          plan,
          withTables(
            program.tables ?? [],
            sql`SELECT count(*) FROM ${reached} WHERE who NOT IN (SELECT who FROM (${known}) AS known)`,
          ),
          signal,
        )
      : 0,
  ]);
  return {
    ...answered,
    facts: () => {
      const facts = withLeftOut(answered.facts(), followed.left);
      const told = nobodys > 0 ? [{ what: 'sessions whose events have no user', rows: nobodys }] : [];
      return withLacking({ ...facts, uncounted: [...facts.uncounted, ...told] }, unknown);
    },
  };
}

/** Follows the users of a plan's funnel over the events within its dates. Errors: as `answerFunnel`. */
export async function followPlan(
  session: EngineSession,
  plan: Plan,
  options: Omit<ComputeOptions, 'from' | 'to' | 'signal'>,
  signal?: AbortSignal,
): Promise<FunnelAnswer> {
  const { program } = await overCodedEvents(session, planToProgram(plan));
  return steadily(
    session,
    funnelStatement(plan, program),
    (engine) => computeFunnel(engine, program, { ...options, ...askedDates(plan), signal }),
    signal,
  );
}

/** The statement that collects each user's events. */
export function funnelStatement(plan: Plan, program: FunnelProgram = planToProgram(plan)): BoundStatement {
  const { text, parameters } = eventsStatement(program, toEventCodes(program), {
    ...askedDates(plan),
    shape: 'apart',
    keys: false,
    part: undefined,
  });
  return { text, parameters, columns: [], counters: 0, zone: plan.zone };
}

/** The same over the store's projection. Lists of users read the events, because the projection only has codes. */
export async function projectedFunnel(session: EngineSession, plan: Plan): Promise<ProjectedStatement> {
  if (listsUsers(plan)) return { statement: funnelStatement(plan), used: { why: 'Projections do not name users.' } };
  const { program, used } = await overCodedEvents(session, planToProgram(plan));
  return { statement: funnelStatement(plan, program), used };
}

/** Adds events and users that no figure includes to the facts of the source. */
export function withLeftOut(facts: AnswerFacts, { withoutUser, unheld, spoiled }: LeftOut): AnswerFacts {
  const told = [
    { what: 'events without a user', rows: withoutUser },
    { what: 'events without a value of a held dimension', rows: unheld },
    { what: 'users whose attempts were excluded by an event', rows: spoiled },
  ];
  return { ...facts, uncounted: [...facts.uncounted, ...told.filter(({ rows }) => rows > 0)] };
}
