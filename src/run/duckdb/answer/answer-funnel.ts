import { funnelRange } from '../../../plan/funnel-range.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { joined, sql, trusted } from '../../../plan/sql/expression.ts';
import type { Answer, AnswerFacts } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { computeFunnel, type ComputeOptions, type FunnelAnswer } from '../funnel/compute-funnel.ts';
import { toEventCodes } from '../funnel/event-codes.ts';
import { eventsStatement } from '../funnel/events-statement.ts';
import { answer, type Session, steadily } from './answer.ts';
import { planToProgram, withoutDates } from './funnel-plan.ts';
import { toQuestion } from './to-question.ts';

/**
 * Answers an ordinary query on a funnel: users are followed first, and their numbers are the rows that the query's
 * filters, order and limit are about. Errors: as `answer`, and those of `toFunnelProgram`.
 */
export async function answerFunnel(session: Session, plan: Plan, signal?: AbortSignal): Promise<Answer> {
  const counted = await followPlan(session, plan, {}, signal);
  const question = { ...toQuestion(withoutDates(plan), overRows(counted.all.reached)), reach: 'some' as const };
  const answered = await answer(session, question, signal);
  return { ...answered, facts: () => withLeftOut(answered.facts(), counted) };
}

/** Follows the users of a plan's funnel, over the events that its dates let in. Errors: as `answerFunnel`. */
export async function followPlan(session: Session, plan: Plan, options: Omit<ComputeOptions, 'from' | 'to' | 'signal'>, signal?: AbortSignal): Promise<FunnelAnswer> {
  const program = planToProgram(plan);
  return steadily(session, funnelStatement(plan), (engine) => computeFunnel(engine, program, { ...options, ...funnelRange(plan), signal }), signal);
}

/** What the engine is asked for, to gather each user's events. */
export function funnelStatement(plan: Plan): BoundStatement {
  const program = planToProgram(plan);
  const { text, parameters } = eventsStatement(program, toEventCodes(program), { ...funnelRange(plan), shape: 'apart', keys: false, part: undefined });
  return { text, parameters, columns: [], counters: 0, zone: plan.zone };
}

/** What is in no figure, beside what the source's files tell. */
export function withLeftOut(facts: AnswerFacts, { withoutUser, spoiled }: Pick<FunnelAnswer, 'withoutUser' | 'spoiled'>): AnswerFacts {
  const told = [{ what: 'events without a user', rows: withoutUser }, { what: 'users whose attempts an excluded event spoiled', rows: spoiled }];
  return { ...facts, uncounted: [...facts.uncounted, ...told.filter(({ rows }) => rows > 0)] };
}

/** DuckDB's words, where the rows of a funnel are these. */
function overRows(reached: readonly number[]): Dialect {
  const rows = reached.map((users, index) => trusted(`(${index + 1}, ${users})`));
  return {
    ...duckDb,
    lowerSource: (source, columns, project) => (source.kind === 'funnel' ? sql`(SELECT * FROM (VALUES ${joined(rows, ', ')}) AS steps(step, reached))` : duckDb.lowerSource(source, columns, project)),
  };
}
