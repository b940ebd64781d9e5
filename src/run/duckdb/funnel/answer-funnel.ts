import { tellUnknown, rowsIn } from '../session/rows-in.ts';
import { askedDates, withoutDates } from '../../../plan/computed/asked-dates.ts';
import type { Plan } from '../../../plan/plan.ts';
import { funnelOf, funnelRows } from '../../../plan/analysis/funnel/bind-funnel.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import { boundText, sql, trusted, name, type Expression } from '../../../plan/sql/expression.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Answer, UsedProjection } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { answerOverRows, questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineSession, steadily } from '../session/answer.ts';
import type { ProjectedStatement } from '../session/engine-analysis.ts';
import { withMore } from '../../analysis/more-facts.ts';
import { countRows } from '../../analysis/rows-of.ts';
import { computeFunnel, type ComputeOptions, followUsers } from './follow-users.ts';
import type { FunnelAnswer } from '../../analysis/funnel/sum-up-users.ts';
import { toEventCodes } from './event-codes.ts';
import { eventsStatement, usersOfSessions } from './events-statement.ts';
import { openLeftOut, toUncounted } from '../../analysis/funnel/followed-users.ts';
import { namedEvents, planToProgram } from '../../analysis/funnel/funnel-plan.ts';
import type { FunnelProgram } from '../../analysis/funnel/funnel-program.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { chooseCodedEvents } from '../session/choose-projection.ts';
import { codedEvents } from '../../../plan/projection/projections.ts';

/**
 * Answers an ordinary query on a funnel. It follows the users first; the query's filters, order and limit apply to the
 * resulting counts. Errors: as `answer`, and those of `toFunnelProgram`.
 */
export async function answerFunnel(session: EngineSession, plan: Plan, signal?: AbortSignal): Promise<Answer> {
  if (listsUsers(plan)) return answerUsers(session, plan, signal);
  const counted = await followPlan(session, plan, {}, signal);
  const lacking = await tellUnknown(session, plan, namedEvents(plan, counted.all.reached), signal);
  const rows = funnelRows(plan, counted).map(([step, value, users]) => [
    trusted(String(step)),
    value === null ? trusted('CAST(NULL AS VARCHAR)') : boundText(value),
    trusted(String(users)),
  ]);
  const answered = await answerOverRows(
    session,
    { ...withoutDates(plan), cohorts: [] },
    { columns: ['step', 'breakdown', 'reached'], rows },
    signal,
  );
  return { ...answered, facts: () => withMore(answered.facts(), { uncounted: toUncounted(plan, counted), lacking }) };
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
  const json = boundText(JSON.stringify(followed.keys));
  const reached = sql`(SELECT unnest(from_json(${json}, '[{"depth": "BIGINT", "who": "VARCHAR", "value": "VARCHAR"}]'),
    recursive := true)) AS reached`;
  const isBySession = funnelOf(plan)?.definition.by === 'session';
  const known = usersOfSessions(program, dates);
  const users = isBySession
    ? sql`(SELECT user_key, value, max(depth) AS depth FROM ${reached} JOIN (${known}) AS known USING (who)
      GROUP BY user_key, value) AS users`
    : sql`(SELECT who AS user_key, value, depth FROM ${reached}) AS users`;
  const relation = sql`(SELECT unnest(range(1, depth + 1)) AS step, value AS breakdown, user_key FROM ${users})`;
  const undated = { ...withoutDates(plan), cohorts: isBySession ? (plan.cohorts ?? []) : [] };
  const lacking = await tellUnknown(session, plan, namedEvents(plan), signal);
  const [answered, nobodys] = await Promise.all([
    answer(session, questionOverRelation(undated, relation), signal),
    isBySession
      ? countRows(
          rowsIn(session, plan, signal),
          withTables(
            program.tables ?? [],
            sql`SELECT count(*) FROM ${reached} WHERE who NOT IN (SELECT who FROM (${known}) AS known)`,
          ),
        )
      : 0,
  ]);
  const uncounted = [
    ...toUncounted(plan, followed.left),
    { what: 'sessions whose events have no user', rows: nobodys },
  ];
  return { ...answered, facts: () => withMore(answered.facts(), { uncounted, lacking }) };
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

/** The program over the coded events of a store, if these suffice. There, numbers identify users. */
async function overCodedEvents(
  { events }: EngineSession,
  program: FunnelProgram,
): Promise<{ readonly program: FunnelProgram; readonly used: UsedProjection | undefined }> {
  const { tables = [], steps, exclusions, looksAt, hold, breakdown } = program;
  const isOfUsers = isName(program.source, 'events') && isName(program.follow, userKeyColumn);
  if (!isOfUsers || tables.length > 0)
    return {
      program,
      used: events?.projections && { why: 'The funnel does not follow users, or asks for members of cohorts.' },
    };
  const read = [looksAt, ...hold, breakdown?.value, ...[...steps, ...exclusions].map(({ also }) => also)];
  const used = await chooseCodedEvents(events, read);
  return { program: used?.name === undefined ? program : { ...program, source: name(codedEvents.relation) }, used };
}

function isName({ parts: [only, ...more] }: Expression, text: string): boolean {
  return only?.kind === 'name' && only.name === text && more.length === 0;
}
