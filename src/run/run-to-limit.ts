import type { Plan } from '../plan/plan.ts';
import { toldBeside } from '../plan/sql/uncounted.ts';
import type { Answer, Batch, LocalBackend, RunOptions } from './backend.ts';

/**
 * Runs a plan and tells in `hasMore` whether there are more rows than its limit: the engine is asked for one more,
 * which is left out. Unknown if measures leave events out: the engine would also count those of the row beyond the
 * limit. Rejects like `run`.
 */
export async function runToLimit(engine: LocalBackend, plan: Plan, options: RunOptions): Promise<Answer> {
  const { limit } = plan;
  if (limit === undefined || limit === 0 || toldBeside(plan).length > 0) return engine.run(plan, options);
  const answer = await engine.run({ ...plan, limit: limit + 1 }, options);
  let rows = 0;
  async function* batches(): AsyncGenerator<Batch> {
    for await (const batch of answer.batches) {
      const room = limit! - rows;
      rows += batch.rowCount;
      if (batch.rowCount <= room) yield batch;
      else if (room > 0) yield { rowCount: room, columns: batch.columns.map((values) => values.slice(0, room)) };
    }
  }
  return { ...answer, batches: batches(), facts: () => ({ ...answer.facts(), hasMore: rows > limit }) };
}
