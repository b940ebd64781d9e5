import { type FindReached, type Reached, findReached } from '../../analysis/find-reached.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteName } from '../engine/sql-text.ts';
import { type EngineSession, steadily } from '../session/answer.ts';
import { funnelStatement } from './answer-funnel.ts';
import { followUsers } from './follow-users.ts';
import { planToProgram } from '../../analysis/funnel/funnel-plan.ts';

/**
 * Runs work on a plan after finding the users who reached the funnel steps that its cohorts name. Each funnel is
 * followed once, and its users go into a table of the engine. Errors: as `answerFunnel`, and the work's own.
 */
export async function withReached<T>(
  session: EngineSession,
  plan: Plan,
  signal: AbortSignal | undefined,
  work: (plan: Plan) => Promise<T>,
): Promise<T> {
  const tables: string[] = [];
  const keep: FindReached = async (rule, asked, at) => {
    const found = `reached_${session.engine.nextNumber()}`;
    tables.push(found);
    await keepUsers(session, asked, { ...rule, found }, at, signal);
    return { ...rule, found };
  };
  try {
    return await work(await findReached(plan, keep));
  } finally {
    await dropEarlier(session.engine, tables);
  }
}

async function keepUsers(
  session: EngineSession,
  plan: Plan,
  { found = '', step, range }: Reached,
  at: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const program = planToProgram(plan);
  const dates = { from: range?.start, to: Math.min(range?.end ?? at, at) };
  await steadily(
    session,
    funnelStatement({ ...plan, times: [], rowConditions: [] }),
    (engine) =>
      engine.work(async (connection) => {
        await connection.run(`CREATE OR REPLACE TABLE ${quoteName(found)} (${userKeyColumn} VARCHAR)`);
        for await (const { count, depth, keys = [] } of followUsers(engine, program, { ...dates, keys: true, signal }))
          await append(
            connection,
            found,
            keys.slice(0, count).filter((_, index) => depth[index]! >= step),
          );
      }),
    signal,
  );
}

async function append(connection: DuckDBConnection, table: string, users: readonly string[]): Promise<void> {
  const appender = await connection.createAppender(table);
  for (const user of users) {
    appender.appendVarchar(user);
    appender.endRow();
  }
  appender.closeSync();
}

/** Number of finished questions whose tables are kept, because their total row count may still be running. */
const mostQuestions = 8;
const kept = new WeakMap<Engine, (readonly string[])[]>();

async function dropEarlier(engine: Engine, tables: readonly string[]): Promise<void> {
  const all = [...(kept.get(engine) ?? []), tables];
  kept.set(engine, all.slice(-mostQuestions));
  if (engine.closed.aborted) return;
  for (const table of all.slice(0, -mostQuestions).flat())
    await engine.rows(`DROP TABLE IF EXISTS ${quoteName(table)}`);
}
