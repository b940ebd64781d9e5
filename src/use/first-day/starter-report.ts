import { writeCell } from '../../tell/notebook/write-cell.ts';
import { writeFrontMatter } from '../../tell/notebook/write-front-matter.ts';
import type { StarterQuestion } from './starter-questions.ts';

/** The name of the report to begin with. */
export const starterReportName = 'overview';

/** The questions to begin with as a report: each cell asks a saved query. */
export function starterReport(questions: readonly StarterQuestion[]): string {
  const head = writeFrontMatter({ title: 'Overview', description: 'The questions that this workspace began with, answered together.' });
  const cells = questions.map(({ name, saved: { title, description } }) => writeCell({ cell: 'query', ...(title !== undefined && { title }), ...(description !== undefined && { description }), from: name }));
  return `${head}${['# Overview\n', ...cells].join('\n')}`;
}
