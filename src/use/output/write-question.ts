import type { Provenance } from '../../shape/result/provenance.ts';
import { type AnswerOptions, answerQuestion } from '../answer/answer-question.ts';
import type { Question } from '../answer/question.ts';
import { streamQuestion } from '../answer/stream-question.ts';
import type { Session } from '../workspace/session.ts';
import { findFonts } from './fonts.ts';
import { formatToWrite } from './format-to-write.ts';
import { writeAnswerFile } from './write-answer-file.ts';
import type { WriteOptions } from './write-result-file.ts';

/** Answers a question into a file. `check` sees where the rows come from before any is written. Throws as `answerQuestion` and `writeFileWhole`. */
export async function writeQuestion(
  session: Session, question: Question, file: string, options: AnswerOptions & WriteOptions, check: (provenance: Provenance) => void,
): Promise<Provenance> {
  const { withProvenance, chart, signal } = options;
  const format = formatToWrite(file, options.format, '`format`');
  await using rows = withProvenance ? undefined : await streamQuestion(session, question, [format], options);
  const answer = rows ?? (await answerQuestion(session, question, options));
  check(answer.provenance);
  await writeAnswerFile(answer, format, file, { withProvenance, signal, chart: { wish: question.saved.chart, title: question.saved.title, ...chart, fonts: findFonts } });
  return answer.provenance;
}
