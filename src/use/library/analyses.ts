import { describeValue } from '../../ask/document/read-value.ts';
import { type AnalysisName, analysisNames, isAnalysisName } from '../../plan/analysis/analyses.ts';
import type { Result } from '../../shape/result/result.ts';
import type { RunAnalysisOptions } from '../analysis/run-analysis.ts';
import { answerWhole } from '../answer/answer-question.ts';
import type { Cell } from '../users/list-users.ts';
import { wrongArgument } from '../workspace/check-options.ts';
import { checkDefinition, sessionAt, toAsking, toOptions } from './ask.ts';
import type { Opened } from './opened.ts';
import type { Asked, AskOptions } from './options.ts';

/** Options of an analysis. */
export interface AnalysisOptions extends Omit<RunAnalysisOptions, 'written'>, Pick<AskOptions, 'strict' | 'asOf'> {}

/** One row of the answer of an analysis: the row itself, or the values that tell it apart. */
export interface AnalysisCell {
  readonly analysis: AnalysisName;
  /** The name of the definition or of its file, or what the file has below its key. */
  readonly definition: string | object;
  readonly cell: Cell;
}

/** `called`: the function of the library that was called. */
export function answerAnalysis<Row extends object>(
  opened: Opened,
  called: string,
  analysis: AnalysisName,
  definition: string | object,
  options: AnalysisOptions = {},
): Promise<Result<Row>> {
  return opened.call('analysis', options, async (signal) => {
    if (!isAnalysisName(analysis))
      throw wrongArgument(
        called,
        `The analysis cannot be ${describeValue(analysis)}.`,
        `Use one of ${analysisNames.join(', ')}.`,
      );
    checkDefinition(called, analysis, definition);
    const { runAnalysis } = await import('../analysis/run-analysis.ts');
    const { asOf, strict, ...run } = options;
    const { result } = await runAnalysis(sessionAt(opened, asOf), analysis, definition, { ...run, signal });
    opened.tell(result.provenance, strict === undefined ? {} : { strict });
    return result as unknown as Result<Row>;
  });
}

/** The users behind a question or a cell. */
export function listUsersOf(
  opened: Opened,
  asked: Asked | AnalysisCell,
  options: AskOptions & AnalysisOptions = {},
): Promise<Result> {
  const isCell = typeof asked === 'object' && asked !== null && 'analysis' in asked;
  return opened.call(isCell ? 'analysis' : 'query', options, async (signal) => {
    const { askAnalysisUsers, askUsers } = await import('../users/list-users.ts');
    const { asOf, strict, ...run } = options;
    const users = isCell
      ? await askAnalysisUsers(sessionAt(opened, asOf), asked.analysis, asked.definition, asked.cell, {
          ...run,
          signal,
        })
      : await askUsers(opened.session, toAsking(opened, asked, options.timezone), toOptions(options, signal));
    const result = await answerWhole(users.session, users.bound, { signal });
    opened.tell(result.provenance, strict === undefined ? {} : { strict });
    return result;
  });
}
