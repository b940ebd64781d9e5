import { describeValue } from '../../ask/document/describe-value.ts';
import { completeNames } from '../../ask/notation/full-names.ts';
import { bad, errorIssue, good, type Outcome } from '../../ask/outcome.ts';
import { toQuery } from '../../ask/query/builder.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { CanonicalQuery, Query } from '../../ask/query/query.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { type AnalysisName, analysisNames } from '../../plan/analysis/analysis-names.ts';
import type { Explanation } from '../../run/backend.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { type AnswerOptions, explainQuestion, resultOf } from '../answer/answer-question.ts';
import { bindQuestion, tryBindQuestion } from '../answer/bind-question.ts';
import type { LoadAnswer } from '../answer/load.ts';
import { askNameOrLine, askLine, askSaved, type Asking, namesOf } from '../answer/question.ts';
import type { RunFunnelOptions } from '../funnel/run-funnel.ts';
import type { WriteOptions } from '../output/write-result-file.ts';
import { atPresent, type BindOptions } from '../workspace/session.ts';
import {
  checkObject,
  checkPath,
  checkText,
  checkWord,
  isPlainObject,
  wrongArgument,
} from '../../ask/document/check-argument.ts';
import { refuse } from '../workspace/refuse.ts';
import { withFreshModel } from '../workspace/with-fresh-model.ts';
import { toPresent } from './as-of.ts';
import { checkTimes, resultWithTimes } from './dated-rows.ts';
import { resultInCode } from './option-wording.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';
import type { Asked, AskOptions, RowOptions } from './options.ts';

/** Options of `funnel`. */
export interface FunnelOptions extends RunFunnelOptions, Pick<AskOptions, 'strict' | 'asOf'> {}

/** Options of `load`. */
export interface LoadCallOptions {
  /** `multi` returns a list of results for a list of queries or a comparison. */
  readonly queryType?: string | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a question that a program passed to the function `called`. `timezone` overrides the question's own. */
export function toAsking(called: string, { session, pathOf }: Opened, asked: Asked, timezone?: string): Asking {
  if (typeof asked !== 'string' && !isPlainObject(asked)) {
    const given = asked === null || asked === undefined ? String(asked) : describeValue(asked);
    throw wrongArgument(called, `Expected a line, a query or a builder, not ${given}.`);
  }
  const asking =
    typeof asked === 'string' ? askNameOrLine(asked, session.settings.queries.value, pathOf('.')) : askGiven(asked);
  if (timezone === undefined) return asking;
  return async (model) => {
    const read = await asking(model);
    if (!read.ok) return read;
    const { saved, ...question } = read.value;
    return { ok: true, value: { ...question, saved: { ...saved, query: { ...saved.query, timezone } } } };
  };
}

/**
 * Accepts any input, because plain JavaScript is not type-checked. Short names are resolved when the model is known.
 */
function askGiven(asked: Exclude<Asked, string>): Asking {
  const { query, ...about } = toSaved(asked);
  return async (model) => {
    const { readQuery } = await import('../../ask/query/query-schema.ts');
    const read = readQuery(completeNames(query, namesOf(model)));
    return read.ok
      ? askSaved({ ...about, query: read.value })(model)
      : { ok: false, error: refuse(read.issues, 'The query') };
  };
}

function toSaved(asked: Exclude<Asked, string>): SavedQuery {
  if (typeof asked !== 'object' || asked === null || !('toQuery' in asked)) return { query: asked };
  const about = 'toSavedQuery' in asked ? (asked.toSavedQuery as () => SavedQuery)() : undefined;
  return { ...about, query: toQuery(asked) };
}

export function toOptions<Options extends AskOptions>(
  { asOf, timezone: _, strict: _strict, ...options }: Options,
  signal: AbortSignal,
): Omit<Options, 'asOf' | 'timezone' | 'strict'> & AnswerOptions & BindOptions {
  return { ...options, asOf: asOf === undefined ? undefined : toPresent(asOf), signal };
}

export function askQuery(opened: Opened, asked: Asked, options: AskOptions & RowOptions = {}): Promise<Result> {
  return opened.call('query', options, async (signal) => {
    const { times, ...rest } = options;
    checkTimes('query', { times });
    const result = resultInCode(
      await resultOf(opened.session, toAsking('query', opened, asked, rest.timezone), toOptions(rest, signal)),
    );
    opened.tell(result.provenance, options);
    return resultWithTimes(result, { times });
  });
}

export function writeAnswer(
  opened: Opened,
  asked: Asked,
  file: string,
  options: AskOptions & WriteOptions = {},
): Promise<Provenance> {
  return opened.call('write', options, async (signal) => {
    checkPath('write', 'The file', file);
    const { writeQuestion } = await import('../output/write-question.ts');
    return writeQuestion(
      opened.session,
      toAsking('write', opened, asked, options.timezone),
      opened.pathOf(file),
      toOptions(options, signal),
      (provenance) => opened.tell(provenance, options),
    );
  });
}

export function explainAsked(opened: Opened, asked: Asked, options: AskOptions = {}): Promise<readonly Explanation[]> {
  return opened.call('explain', options, async (signal) => {
    const { session } = opened;
    const bound = await bindQuestion(
      session,
      toAsking('explain', opened, asked, options.timezone),
      toOptions(options, signal),
    );
    return explainQuestion(session, bound, { signal });
  });
}

export function parseLine(opened: Opened, line: string): Promise<Outcome<Query>> {
  return opened.run(async (signal) => {
    checkText('parse', 'The question', line);
    const { session } = opened;
    const read = await withFreshModel(session, () => askLine(line)(session.model), signal);
    if (!read.ok) return bad(read.error.issues);
    const { saved, warnings } = read.value;
    if (!saved.define) return good(saved.query, warnings);
    const hint = 'Ask it with `query`.';
    return bad([errorIssue('no-query', 'This line defines an analysis, which no query can say alone.', { hint })]);
  });
}

export function validateAsked(
  opened: Opened,
  asked: Asked,
  options: Pick<AskOptions, 'asOf' | 'timezone' | 'limits' | 'project' | 'signal'> = {},
): Promise<Outcome<CanonicalQuery>> {
  return opened.call('validate', options, async (signal) => {
    let asking: Asking;
    try {
      asking = toAsking('validate', opened, asked, options.timezone);
    } catch (error) {
      if (error instanceof InvalidInputError) return bad(error.issues);
      throw error;
    }
    const bound = await tryBindQuestion(opened.session, asking, toOptions(options, signal));
    if (!bound.ok) return bad(bound.error.issues);
    const { question, warnings } = bound.value;
    return good(toCanonicalQuery(question.saved.query), warnings);
  });
}

export function answerBody(opened: Opened, body: unknown, options: LoadCallOptions = {}): Promise<LoadAnswer> {
  return opened.call('load', options, async (signal) => {
    const { answerLoad } = await import('../answer/load.ts');
    return answerLoad(body, opened.session, { ...options, signal }, opened.tell);
  });
}

export function answerFunnel(
  opened: Opened,
  funnel: string | object,
  options: FunnelOptions & RowOptions = {},
): Promise<Result> {
  return opened.call('funnel', options, async (signal) => {
    checkDefinition('funnel', 'funnel', funnel);
    checkTimes('funnel', options);
    const { runFunnel } = await import('../funnel/run-funnel.ts');
    const { asOf, strict, times, ...run } = options;
    const { result } = await runFunnel(sessionAt(opened, asOf), funnel, { ...run, signal });
    opened.tell(result.provenance, strict === undefined ? {} : { strict });
    return resultWithTimes(resultInCode(result), { times });
  });
}

export function sessionAt({ session }: Opened, asOf: AsOf | undefined): Opened['session'] {
  return asOf === undefined ? session : atPresent(session, toPresent(asOf));
}

/** Checks that a definition is a name or an object. */
export function checkDefinition(called: string, analysis: AnalysisName, definition: unknown): void {
  if (typeof definition !== 'object' || definition === null) checkText(called, `The ${analysis}`, definition);
  else checkObject(called, `The ${analysis}`, definition);
}

export function checkAnalysis(called: string, given: unknown): asserts given is AnalysisName {
  checkWord(called, 'The analysis', given, analysisNames);
}
