import { writeNotation } from '../../../ask/notation/write-notation.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import { inputError, type InvalidInputError } from '../../../ask/sluice-error.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import type { Model } from '../../../plan/model/model.ts';
import { explainQuestion } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { defaultCubeOf } from '../../answer/question.ts';
import type { Session } from '../../workspace/session.ts';
import { toCommandLine, toLibraryCall, toLoadBodies, toSql } from '../question/convert-question.ts';
import type { Conversion } from '../state/effects.ts';
import type { Ask } from '../state/state.ts';
import { toAsking } from './answer-cell.ts';
import type { NotebookPlace } from './notebook-files.ts';

/** Writes a question in another form. Throws `InvalidInputError` if the question cannot be read. */
export async function convertAsk(
  session: Session,
  ask: Exclude<Ask, { readonly kind: 'text' }>,
  into: Conversion,
  { cwd, dataFlags = '' }: Pick<NotebookPlace, 'cwd' | 'dataFlags'>,
): Promise<{ readonly title: string; readonly text: string }> {
  const bound = await bindQuestion(session, toAsking(ask, session, cwd));
  const { saved } = bound.question;
  const line = ask.kind === 'line' ? ask.line : undefined;
  switch (into) {
    case 'library':
      if (saved.define && line === undefined) throw noProgram();
      return { title: 'The question as a program', text: toLibraryCall(saved, line) };
    case 'load':
      return { title: 'The question as a load body', text: toLoadBodies(bound.plans) };
    case 'sql':
      return { title: 'The question as SQL', text: toSql(await explainQuestion(session, bound)) };
    case 'command':
      return { title: 'The question as a command', text: toCommand(saved, line, session.model, dataFlags) };
  }
}

function toCommand(saved: SavedQuery, line: string | undefined, model: Model, dataFlags: string): string {
  if (line !== undefined) return toCommandLine({ query: saved.query }, line, dataFlags);
  if (saved.define) return toCommandLine(saved, undefined, dataFlags);
  return toCommandLine(
    saved,
    writeNotation(saved.query, { members: toCatalog(model), defaultCube: defaultCubeOf(model) }),
    dataFlags,
  );
}

function noProgram(): InvalidInputError {
  const message = 'This question is about an analysis that has no file, and cannot be written as one call.';
  const hint = 'Save the notebook, and run it as a report, or give the analysis a file.';
  return inputError('no-program', message, hint);
}
