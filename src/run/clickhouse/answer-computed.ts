import { BackendError } from '../../ask/sluice-error.ts';
import type { BoundRule, Plan } from '../../plan/plan.ts';
import { clickHouse } from '../../plan/sql/clickhouse/dialect.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import type { Expression } from '../../plan/sql/expression.ts';
import { withTables } from '../../plan/sql/print-statement.ts';
import type { Answer } from '../backend.ts';
import { type ActivityInWords, overPeriods, uncountedBy } from '../analysis/activity/activity-words.ts';
import { cohortRelation, overFrames, cohortTables } from '../analysis/cohort-tables.ts';
import { findReached } from '../analysis/find-reached.ts';
import { withMore } from '../analysis/more-facts.ts';
import { countRows } from '../analysis/rows-of.ts';
import { nothingNamed, tellUnknownIn } from '../analysis/tell-unknown.ts';
import { answerFunnel, followUsersOf, funnelStatement } from './follow-funnel.ts';
import { answerPaths, pathsStatement } from './follow-paths.ts';
import { analysisSettings, rowsIn, type ServerQuestion, toServerQuestion } from './question.ts';
import type { ServerStatement } from './connection.ts';
import type { ServerSession } from './server-session.ts';

/** Answers a plan over computed rows. */
type AnswerOver = (plan: Plan, question: ServerQuestion) => Promise<Answer>;

/** The activity analyses. Each is one statement. */
const activity: Readonly<Record<string, () => Promise<(plan: Plan, dialect: Dialect) => ActivityInWords>>> = {
  retention: async () => (await import('../analysis/activity/retention.ts')).retentionInWords,
  lifecycle: async () => (await import('../analysis/activity/lifecycle.ts')).lifecycleInWords,
  stickiness: async () => (await import('../analysis/activity/stickiness.ts')).stickinessInWords,
};

/** Answers a computed plan on the server. Users of a funnel that SQL cannot follow are followed here. */
export async function answerComputed(
  session: ServerSession,
  plan: Plan,
  answer: AnswerOver,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const answerOver = async (over: Plan, relation: Expression) =>
    answer(over, await questionOver(session, over, relation));
  const { analysis } = plan.computed!;
  if (analysis === 'funnel') return answerFunnel(session, plan, answerOver, signal);
  if (analysis === 'paths') return answerPaths(session, plan, answerOver, signal);
  if (analysis === 'cohort') {
    const members = () => answerOver(overFrames(plan), cohortRelation(plan, clickHouse));
    return answerWithCohorts(session, plan, members, signal);
  }
  const words = (await activity[analysis]!())(plan, clickHouse);
  const rowsOf = rowsIn(session, signal);
  const wanted = uncountedBy(words);
  const tables = cohortTables(plan, clickHouse);
  // Ask this first: an answer that is not read yet occupies its connection.
  const lacking = await tellUnknownIn(rowsOf, plan, words.named, clickHouse);
  const [answered, ...counts] = await Promise.all([
    answerOver(overPeriods(plan, words), words.relation),
    ...wanted.map(({ count }) => countRows(rowsOf, withTables(tables, count))),
  ]);
  const uncounted = wanted.map(({ what }, index) => ({ what, rows: counts[index]! }));
  return { ...answered, facts: () => withMore(answered.facts(), { uncounted, lacking }) };
}

/** Answers a plan with cohorts, with notes on names that no event has. */
export async function answerWithCohorts(
  session: ServerSession,
  plan: Plan,
  answer: () => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const lacking = await tellUnknownIn(rowsIn(session, signal), plan, nothingNamed, clickHouse);
  const answered = await answer();
  return { ...answered, facts: () => withMore(answered.facts(), { lacking }) };
}

/** The statement of an analysis over the events. */
export async function computedStatement(session: ServerSession, plan: Plan): Promise<ServerStatement> {
  const { analysis } = plan.computed!;
  if (analysis === 'funnel') return funnelStatement(session, plan);
  if (analysis === 'paths') return pathsStatement(session, plan);
  if (analysis === 'cohort')
    return (await questionOver(session, overFrames(plan), cohortRelation(plan, clickHouse))).statement;
  const words = (await activity[analysis]!())(plan, clickHouse);
  return (await questionOver(session, overPeriods(plan, words), words.relation)).statement;
}

async function questionOver(session: ServerSession, plan: Plan, relation: Expression): Promise<ServerQuestion> {
  const dialect: Dialect = {
    ...clickHouse,
    lowerSource: (source, used, project) =>
      source.kind === 'computed' ? relation : clickHouse.lowerSource(source, used, project),
  };
  const question = toServerQuestion(plan, dialect, await session.events());
  return { ...question, statement: { ...question.statement, settings: analysisSettings } };
}

/** Maximum number of users. Their keys are received and sent back, and more do not fit into one statement. */
const mostReached = 1_000_000;

/** The plan with the users found for all cohorts that name funnel steps. */
export function findReachedThere(session: ServerSession, plan: Plan, signal: AbortSignal | undefined): Promise<Plan> {
  let tables = 0;
  return findReached(plan, async (rule, asked, at): Promise<BoundRule> => {
    const { step, range, funnel } = rule;
    const users: string[] = [];
    const dates = { from: range?.start, to: Math.min(range?.end ?? at, at) };
    const over = { ...asked, times: [], rowConditions: [] };
    for await (const { count, depth, keys } of followUsersOf(session, over, { ...dates, keys: true, signal })) {
      for (let user = 0; user < count; user++) if (depth[user]! >= step) users.push(keys![user]!);
      if (users.length > mostReached)
        throw new BackendError(
          `More than ${mostReached} users reached step ${step} of ${funnel.definition.name}: ` +
            'too many for a cohort on ClickHouse.',
          {
            code: 'not-on-clickhouse',
            hint: 'Ask the same events with the embedded engine: `--backend embedded`.',
          },
        );
    }
    const table = `reached_${(tables += 1)}`;
    asked.cohorts.push({ name: table, table, at, rule: { kind: 'listed', users } });
    return { ...rule, found: table };
  });
}
