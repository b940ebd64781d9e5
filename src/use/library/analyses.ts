import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import type { Result } from '../../shape/result/result.ts';
import type { RunAnalysisOptions } from '../analysis/run-analysis.ts';
import { answerWhole, resultOf } from '../answer/answer-question.ts';
import type { SizedCohort } from '../cohort/cohorts.ts';
import { checkObject, checkText, wrongArgument } from '../../ask/document/check-argument.ts';
import { checkDefinition, sessionAt, toAsking, toOptions, checkAnalysis } from './ask.ts';
import { resultInCode } from './option-wording.ts';
import type { Opened } from './open-library.ts';
import { cellInText, checkTimes, type GivenCell, resultWithTimes } from './dated-rows.ts';
import type { Asked, AskOptions, RowOptions } from './options.ts';

/** Options of an analysis. */
export interface AnalysisOptions extends Omit<RunAnalysisOptions, 'written'>, Pick<AskOptions, 'strict' | 'asOf'> {}

/** A cell of an analysis result: a whole row, or the values that identify it. */
export interface AnalysisCell {
  /** The name of the analysis, such as `retention`. */
  readonly analysis: AnalysisName;
  /** The name of the definition or of its file, or the definition as an object with the keys of its file. */
  readonly definition: string | object;
  /** The row, or an object with the values of its dimensions. */
  readonly cell: GivenCell;
}

/** `called` is the public function that was called, for error messages. */
export function answerAnalysis<Row extends object>(
  opened: Opened,
  called: string,
  analysis: AnalysisName,
  definition: string | object,
  options: AnalysisOptions & RowOptions = {},
): Promise<Result<Row>> {
  return opened.call('analysis', options, async (signal) => {
    checkAnalysis(called, analysis);
    checkDefinition(called, analysis, definition);
    checkTimes(called, options);
    const { runAnalysis } = await import('../analysis/run-analysis.ts');
    const { asOf, strict, times, ...run } = options;
    const { result } = await runAnalysis(sessionAt(opened, asOf), analysis, definition, { ...run, signal });
    opened.tell(result.provenance, strict === undefined ? {} : { strict });
    return resultWithTimes(resultInCode(result), { times }) as unknown as Result<Row>;
  });
}

/** Options for the users of a cell. */
export interface CellUsersOptions extends AnalysisOptions {
  /** For funnels: the rows were computed with `byEntry`. */
  readonly byEntry?: boolean | undefined;
}

export function listUsersOf(
  opened: Opened,
  asked: Asked | AnalysisCell,
  options: AskOptions & CellUsersOptions = {},
): Promise<Result> {
  const isCell = typeof asked === 'object' && asked !== null && 'analysis' in asked;
  return opened.call(isCell ? 'users of a cell' : 'users', options, async (signal) => {
    if (isCell) {
      checkAnalysis('users', asked.analysis);
      checkObject('users', 'The cell', asked.cell);
    }
    const { askAnalysisUsers, askUsers } = await import('../users/list-users.ts');
    const { asOf, strict, byEntry, ...run } = options;
    const { isOfTrend, listFunnelCellUsers } = await import('../funnel/funnel-cell-users.ts');
    if (isCell && byEntry && asked.analysis !== 'funnel')
      throw wrongArgument('users', `byEntry is for funnels, not for ${asked.analysis}.`, 'Leave it out.');
    const cell = isCell ? cellInText(asked.cell) : {};
    if (isCell && asked.analysis === 'funnel' && (byEntry || isOfTrend(cell))) {
      const session = sessionAt(opened, asOf);
      const followed = { ...run, byEntry, signal };
      const result = await listFunnelCellUsers(session, asked.definition, cell, followed);
      opened.tell(result.provenance, strict === undefined ? {} : { strict });
      return resultInCode(result);
    }
    const users = isCell
      ? await askAnalysisUsers(sessionAt(opened, asOf), asked.analysis, asked.definition, cell, {
          ...run,
          signal,
        })
      : await askUsers(opened.session, toAsking('users', opened, asked, options.timezone), toOptions(options, signal));
    const result = await answerWhole(users.session, users.bound, { signal });
    opened.tell(result.provenance, strict === undefined ? {} : { strict });
    return resultInCode(result);
  });
}

/** The cohorts of the workspace. */
export interface Cohorts {
  /** Lists all cohorts with their number of users. Local engines only. Throws the errors of `query`. */
  list(options?: Pick<AskOptions, 'asOf' | 'strict' | 'signal'>): Promise<readonly SizedCohort[]>;
  /**
   * Lists the IDs of all users of a cohort, in the column `NAME.user`. Throws the errors of `query`, and
   * `unknown-cohort`.
   */
  users(name: string, options?: Pick<AskOptions, 'asOf' | 'timezone' | 'strict' | 'signal'>): Promise<Result>;
}

export function cohortsOf(opened: Opened): Cohorts {
  return {
    list: (options = {}) =>
      opened.call('cohorts.list', options, async (signal) => {
        const { sizeCohorts } = await import('../cohort/cohorts.ts');
        return sizeCohorts(
          sessionAt(opened, options.asOf),
          ({ provenance }) => opened.tell(provenance, { strict: options.strict }),
          signal,
        );
      }),
    users: (name, options = {}) =>
      opened.call('cohorts.users', options, async (signal) => {
        checkText('cohorts.users', 'The name of a cohort', name);
        const { askCohortUsers } = await import('../cohort/cohorts.ts');
        const session = sessionAt(opened, options.asOf);
        const { asking } = askCohortUsers(name, session.model, options.timezone);
        const result = await resultOf(session, asking, { signal, limits: 'none' });
        opened.tell(result.provenance, { strict: options.strict });
        return resultInCode(result);
      }),
  };
}
