import { type FormatName, isBinaryFormat, isRowFormat } from '../../show/format-name.ts';
import type { RowSource } from '../../show/text/row-source.ts';
import type { Session } from '../workspace/session.ts';
import { withFreshModel } from '../workspace/with-fresh-model.ts';
import { type AnswerOptions, bindQuestion } from './answer-question.ts';
import type { Question } from './question.ts';

/** So many rows take little memory, and are sooner at hand all at once. */
const fewRows = 10_000;

/**
 * The answer as rows that are read piece by piece, for formats that take them so: memory does not grow with their number.
 * The formats write the same bytes of it as of the whole answer. undefined: it is better answered whole, because there
 * are few rows, or has to be, because all of them are needed to fill, compare or type them. Throws as `answerQuestion`.
 */
export async function streamQuestion(session: Session, question: Question, formats: readonly FormatName[], options: AnswerOptions = {}): Promise<(RowSource & AsyncDisposable) | undefined> {
  if (!formats.every(isRowFormat)) return undefined;
  const { saved } = question;
  if (saved.query.limit !== undefined && saved.query.limit <= fewRows) return undefined;
  const { plans: [plan, another], notes } = await withFreshModel(session, () => bindQuestion(session, question, options), options.signal);
  if (!plan || another || plan.comparison !== undefined || (plan.limit !== undefined && plan.limit <= fewRows)) return undefined;
  const rows = await session.store(plan, {
    signal: options.signal, onWait: options.onWait, fill: options.fill ?? saved.fill, fillWith: options.fillWith ?? saved.fillWith, notes,
  });
  if (!rows || rows.types() || !formats.some(isBinaryFormat)) return rows;
  await rows[Symbol.asyncDispose]();
  return undefined;
}
