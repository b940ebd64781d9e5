import type { Plan } from '../../../plan/plan.ts';
import type { Answer, UsedProjection } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import type { EngineSession } from './answer.ts';

export interface ProjectedStatement {
  readonly statement: BoundStatement;
  /** undefined if no store is asked. */
  readonly used: UsedProjection | undefined;
}

/** DuckDB's part of an analysis; see `plan/analysis.ts`. */
export interface EngineAnalysis {
  /** Answers a query on one of its cubes. Errors: those of `answer`, and its own. */
  answer(session: EngineSession, plan: Plan, signal?: AbortSignal): Promise<Answer>;
  /** The statement that gathers the events of a plan. */
  toStatement(plan: Plan): BoundStatement;
  /** The same for a store: over the projection that the analysis uses, or over the events. */
  overProjection?(session: EngineSession, plan: Plan): Promise<ProjectedStatement>;
  /** Answers other than rows; see `LocalBackend.further`. */
  openFurther(session: EngineSession): unknown;
}
