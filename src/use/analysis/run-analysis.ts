import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { toUsualQuestion } from '../../plan/analysis/computed-cubes.ts';
import { layOut } from '../../shape/pivot.ts';
import type { Result } from '../../shape/result/result.ts';
import { answerWhole } from '../answer/answer-question.ts';
import { type BoundQuestion, bindQuestion } from '../answer/bind-question.ts';
import type { Session } from '../workspace/session.ts';
import { type AnalysisAsked, askDefinition, type Definition, withDefinition } from './analysis-question.ts';

export interface RunAnalysisOptions extends AnalysisAsked {
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

interface AnalysisRun {
  readonly result: Result;
  readonly bound: BoundQuestion;
  /** The figures laid out as a table for people, or the result itself if no layout applies. */
  readonly table: Result;
}

/** A bound definition and the session that can answer it. */
interface BoundAnalysis {
  readonly session: Session;
  readonly bound: BoundQuestion;
}

/** Binds a definition to a question over the requested range. Throws `InvalidInputError`. */
export async function bindAnalysis(
  session: Session,
  analysis: AnalysisName,
  definition: Definition,
  options: RunAnalysisOptions,
): Promise<BoundAnalysis> {
  const defined = await withDefinition(session, analysis, definition, options);
  const bound = await bindQuestion(defined.session, askDefinition(analysis, defined.name, options), options);
  return { session: defined.session, bound };
}

/** Runs an analysis and returns its whole answer. Throws subclasses of `SluiceError`. */
export async function runAnalysis(
  session: Session,
  analysis: AnalysisName,
  definition: Definition,
  options: RunAnalysisOptions = {},
): Promise<AnalysisRun> {
  const asked = await bindAnalysis(session, analysis, definition, options);
  const result = await answerWhole(asked.session, asked.bound, { signal: options.signal });
  const { table } = toUsualQuestion(asked.bound.plans[0].root);
  return { result, bound: asked.bound, table: table ? layOut(result, table) : result };
}
