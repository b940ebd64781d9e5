import type { Plan } from '../../../plan/plan.ts';
import type { Answer } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import type { EngineSession } from './answer.ts';

/** How DuckDB computes an analysis; see `plan/analysis.ts`. */
export interface EngineAnalysis {
  /** Answers a query on one of its cubes. Errors: as `answer`, and its own. */
  answer(session: EngineSession, plan: Plan, signal?: AbortSignal): Promise<Answer>;
  /** The statement that gathers the events of a plan. */
  toStatement(plan: Plan): BoundStatement;
  /** What it tells beyond rows; see `LocalBackend.further`. */
  openFurther(session: EngineSession): unknown;
}
