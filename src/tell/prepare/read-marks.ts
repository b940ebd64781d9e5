import type { Annotation } from '../../ask/annotation.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { readWrittenTime } from '../../ask/time/read-written-time.ts';
import type { AnnotationsCell } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../notebook/ports.ts';

/** The marks of an annotations cell: its own, and those of its file. Issues carry paths into the cell. */
export async function readMarks({ marks = [], from }: AnnotationsCell, { marksBeside }: NotebookSurroundings): Promise<Outcome<readonly Annotation[]>> {
  const issues: Issue[] = marks.flatMap(({ date }, index) => {
    const written = readWrittenTime(date);
    if (written?.ok && (written.value.unit === 'day' || written.value.unit === 'millisecond')) return [];
    return (written?.ok === false ? written.issues : [errorIssue('invalid-date', `${quote(date)} is neither a day nor a time.`, { hint: 'Write 2024-03-08, or 2024-03-08T14:30.' })]).map((issue) => ({ ...issue, path: ['marks', index, 'date'] }));
  });
  if (from === undefined) return issues.length > 0 ? bad(issues) : good(marks);
  const read = await marksBeside?.(from);
  if (!read) return bad([...issues, errorIssue('file-unreadable', `There is no file ${quote(from)} beside the report.`, { path: ['from'], hint: 'Its path starts in the folder of the report.' })]);
  if (!read.ok) return bad([...issues, ...read.issues.map(({ message, severity }) => ({ ...errorIssue('broken-marks', `${quote(from)} cannot be used: ${message}`, { path: ['from'] }), severity }))]);
  return issues.length > 0 ? bad(issues) : good([...marks, ...read.value]);
}
