import type { Annotation } from '../../ask/annotation.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import type { AnnotationsCell } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../notebook/ports.ts';

/** The marks of an annotations cell: its own, and those of its file. Issues carry paths into the cell. */
export async function readMarks({ marks = [], from }: AnnotationsCell, { marksBeside }: NotebookSurroundings): Promise<Outcome<readonly Annotation[]>> {
  if (from === undefined) return good(marks);
  const read = await marksBeside?.(from);
  if (!read) return bad([errorIssue('file-unreadable', `There is no file ${quote(from)} beside the report.`, { path: ['from'], hint: 'Its path starts in the folder of the report.' })]);
  if (!read.ok) return bad(read.issues.map((issue) => ({ ...errorIssue('broken-marks', `${quote(from)} cannot be used${lineOf(issue)}: ${issue.message}`, { path: ['from'], hint: issue.hint }), severity: issue.severity })));
  return good([...marks, ...read.value]);
}

/** Where in its own file something is wrong. */
function lineOf({ span }: Issue): string {
  return span ? `, line ${span.line}` : '';
}
