import { writeNotation } from '../../../ask/query/notation/write-notation.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import { bindQuestion, explainQuestion } from '../../answer/answer-question.ts';
import { defaultCubeOf } from '../../answer/question.ts';
import type { Session } from '../../session.ts';
import type { Turning } from '../effects.ts';
import { toCommandLine, toLibraryCall, toLoadBodies, toSql } from '../question/turn-question.ts';
import type { Ask } from '../state.ts';
import { questionOfAsk } from './answer-ask.ts';

/** A question as something else that asks the same. Throws `InvalidInputError` for one that cannot be understood. */
export async function turnAsk(session: Session, ask: Exclude<Ask, { readonly kind: 'text' }>, into: Turning, cwd: string): Promise<{ readonly title: string; readonly text: string }> {
  const question = await questionOfAsk(session, ask, cwd);
  const { saved } = question;
  const { plans } = bindQuestion(session, question);
  switch (into) {
    case 'library': return { title: 'The question as a program', text: toLibraryCall(saved) };
    case 'load': return { title: 'The question as a load body', text: toLoadBodies(plans) };
    case 'sql': return { title: 'The question as SQL', text: toSql(await explainQuestion(session, question)) };
    case 'command': {
      const line = ask.kind === 'line' ? ask.line : writeNotation(saved.query, { members: toCatalog(session.model), defaultCube: defaultCubeOf(session.model) });
      return { title: 'The question as a command', text: toCommandLine(ask.kind === 'line' ? { query: saved.query } : saved, line) };
    }
  }
}
