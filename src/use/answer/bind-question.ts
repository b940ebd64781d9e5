import { attachSpans } from '../../ask/document/located.ts';
import type { Issue } from '../../ask/outcome.ts';
import type { Plan } from '../../plan/plan.ts';
import { defineIn, putInline } from '../workspace/inline-definition.ts';
import { refuse } from '../workspace/refuse.ts';
import type { BindOptions, Session } from '../workspace/session.ts';
import { type Attempt, valueOrThrow, withFreshModel } from '../workspace/with-fresh-model.ts';
import type { Asking, Question } from './question.ts';

/** A question whose names and times are known. */
export interface BoundQuestion {
  readonly question: Question;
  /** One for each range of a comparison, the current one first; or one. */
  readonly plans: readonly [Plan, ...Plan[]];
  /** Warnings, for the answer's notes. */
  readonly notes: readonly string[];
  /** The same with their places. */
  readonly warnings: readonly Issue[];
}

interface BindQuestionOptions extends BindOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a question means, whichever way it is asked. A model that a server gave is refreshed first if it lacks a name.
 * Throws `InvalidInputError` with every issue drawn.
 */
export async function bindQuestion(
  session: Session,
  asking: Asking,
  options: BindQuestionOptions = {},
): Promise<BoundQuestion> {
  return valueOrThrow(await tryBindQuestion(session, asking, options));
}

/** The same, for those who go on if it cannot be bound. */
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

/** A question that was bound by `Session.bind`, with what came up then. */
export function toBoundQuestion(question: Question, plans: readonly Plan[], warnings: readonly Issue[]): BoundQuestion {
  const all = [...question.warnings, ...warnings];
  const notes = all.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`));
  return { question, plans: plans as readonly [Plan, ...Plan[]], notes, warnings: all };
}
