import { attachSpans } from '../../ask/document/located.ts';
import { type Issue, sayIssue } from '../../ask/outcome.ts';
import type { Plan } from '../../plan/plan.ts';
import { defineIn, putInline } from '../workspace/inline-definition.ts';
import { refuse } from '../workspace/refuse.ts';
import type { BindOptions, Session } from '../workspace/session.ts';
import { type Attempt, valueOrThrow, withFreshModel } from '../workspace/with-fresh-model.ts';
import type { Asking, Question } from './question.ts';

/** A question whose names and times are resolved. */
export interface BoundQuestion {
  readonly question: Question;
  /** One plan for each range of a comparison, the current one first; otherwise one plan. */
  readonly plans: readonly [Plan, ...Plan[]];
  /** Warnings as sentences, for the notes of the answer. */
  readonly notes: readonly string[];
  /** Warnings with their positions. */
  readonly warnings: readonly Issue[];
}

interface BindQuestionOptions extends BindOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Binds a question. If a cached model of a server lacks a name, the model is refreshed first. Throws
 * `InvalidInputError` with every issue.
 */
export async function bindQuestion(
  session: Session,
  asking: Asking,
  options: BindQuestionOptions = {},
): Promise<BoundQuestion> {
  return valueOrThrow(await tryBindQuestion(session, asking, options));
}

/** Like `bindQuestion`, but returns the error. */
export function tryBindQuestion(
  session: Session,
  asking: Asking,
  options: BindQuestionOptions = {},
): Promise<Attempt<BoundQuestion>> {
  return withFreshModel(
    session,
    async () => {
      const read = await asking(session.model);
      return read.ok ? bindRead(session, read.value, options) : read;
    },
    options.signal,
  );
}

async function bindRead(session: Session, question: Question, options: BindOptions): Promise<Attempt<BoundQuestion>> {
  const put = await putInline(question.saved.define, question.definedIn ?? question);
  if (!put.ok) return put;
  const bound = defineIn(session, put.value).bind(question.saved.query, options);
  const isOfDefinition = bound.issues.some(({ path: [part] }) => part === 'define');
  const { text, locate } = (isOfDefinition && question.definedIn) || question;
  const issues = attachSpans(bound.issues, locate);
  if (!bound.ok) return { ok: false, error: refuse(issues, question.what, text) };
  return { ok: true, value: toBoundQuestion(question, bound.value, issues) };
}

/** Combines a question with the plans and warnings of `Session.bind`. */
export function toBoundQuestion(question: Question, plans: readonly Plan[], warnings: readonly Issue[]): BoundQuestion {
  const all = [...question.warnings, ...warnings];
  const notes = all.map(sayIssue);
  return { question, plans: plans as readonly [Plan, ...Plan[]], notes, warnings: all };
}
