import { attachSpans } from '../../ask/document/located.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Explanation, Wait } from '../../run/backend.ts';
import type { Result } from '../../shape/result.ts';
import { compare } from '../../shape/compare.ts';
import { withNote } from '../../shape/provenance.ts';
import { stack } from '../../shape/stack.ts';
import { answerRanges } from './answer-ranges.ts';
import type { Question } from './question.ts';
import { refuse } from '../refuse.ts';
import { withFreshModel } from '../remote/with-fresh-model.ts';
import type { BindOptions, FillOptions, Session } from '../session.ts';

export interface AnswerOptions extends FillOptions, BindOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told each time a server says that it is still at work. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** The ranges of a comparison: below one another, as the wire has them (where not set), or beside one another with their changes. */
  readonly ranges?: 'stacked' | 'beside' | undefined;
}

/** The answer, a comparison's ranges as the options have them. Throws the SluiceError family. */
export async function answerQuestion(session: Session, question: Question, options: AnswerOptions = {}): Promise<Result> {
  const { saved } = question;
  const { plans, notes } = await withFreshModel(session, () => bindQuestion(session, question, options), options.signal);
  const results = await answerRanges(plans, (plan) => session.run(plan, {
    signal: options.signal,
    onWait: options.onWait,
    fill: options.fill ?? saved.fill,
    fillWith: options.fillWith ?? saved.fillWith,
    notes,
  }));
  const [only] = results;
  if (only && plans[0]?.comparison === undefined) return only;
  const isBeside = options.ranges === 'beside' && plans.length > 1;
  const labels = plans.map((plan, index) => (isBeside ? String(index) : plan.comparison ?? ''));
  const stacked = stack(results.map((result, index) => ({ result, label: labels[index] ?? '' })), toCanonicalQuery(saved.query));
  return isBeside ? beside(compare(stacked, plans, labels), plans, results[0]) : stacked;
}

/** What a reader of rows with several ranges in each must know besides. */
function beside(result: Result, [plan]: readonly Plan[], current: Result | undefined): Result {
  const { truncated, total } = result.provenance;
  const provenance = {
    ...result.provenance,
    ...(total === undefined ? {} : { total: truncated ? current?.provenance.total : result.rowCount }),
  };
  const isFiltered = plan?.groupConditions.length !== 0;
  return { ...result, provenance: isFiltered ? withNote(provenance, filteredRanges) : provenance };
}

const filteredRanges = 'Each range is filtered by its own values of measures: a missing value may have been filtered out.';

/** How the question would be answered: an explanation for each plan. */
export async function explainQuestion(session: Session, question: Question, options: AnswerOptions = {}): Promise<readonly Explanation[]> {
  const { plans } = await withFreshModel(session, () => bindQuestion(session, question, options), options.signal);
  const explanations: Explanation[] = [];
  for (const plan of plans) explanations.push(await session.explain(plan, { signal: options.signal }));
  return explanations;
}

/** What the question means, and the warnings that came up. Throws `InvalidInputError` with every issue drawn. */
export function bindQuestion(session: Session, question: Question, options: BindOptions = {}): { readonly plans: readonly Plan[]; readonly notes: readonly string[] } {
  const bound = session.bind(question.saved.query, options);
  const issues = attachSpans(bound.issues, question.locate);
  if (!bound.ok) throw refuse(issues, question.what, question.text);
  const notes = [...question.warnings, ...issues].map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`));
  return { plans: bound.value, notes };
}
