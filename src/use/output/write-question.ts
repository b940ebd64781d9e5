import type { Provenance } from '../../shape/result/provenance.ts';
import { answerQuestion, streamFor, type AnswerOptions } from '../answer/answer-question.ts';
import { bindQuestion } from '../answer/bind-question.ts';
import type { Asking } from '../answer/question.ts';
import type { BindOptions, Session } from '../workspace/session.ts';
import { findFonts } from './fonts.ts';
import { formatToWrite } from './format-to-write.ts';
import { writeAnswerFile } from './write-answer-file.ts';
import type { WriteOptions } from './write-result-file.ts';

/**
 * Answers a question into a file. `check` receives the provenance before any row is written. Throws as `answerQuestion`
 * and `writeFileWhole`.
 */
export async function writeQuestion(
  session: Session,
  asking: Asking,
  file: string,
  options: AnswerOptions & BindOptions & WriteOptions,
  check: (provenance: Provenance) => void,
): Promise<Provenance> {
  const { withProvenance, rawCells, chart, signal } = options;
  const format = formatToWrite(file, options.format, '`format`');
  const bound = await bindQuestion(session, asking, options);
  const { saved } = bound.question;
  await using answered = await answerQuestion(session, bound, { ...options, stream: streamFor([format], options) });
  const { provenance } = answered.rows;
  check(provenance);
  await writeAnswerFile(answered.rows, format, file, {
    withProvenance,
    rawCells,
    signal,
    chart: { preference: saved.chart, title: saved.title, ...chart, fonts: findFonts },
  });
  return provenance;
}
