import type { Issue } from '../../ask/outcome.ts';
import { guessCell } from '../notebook/guess-cell.ts';
import type { Block, CellContent } from '../notebook/notebook.ts';
import type { ParamValues } from '../notebook/param.ts';
import { readCell } from '../notebook/read-cell.ts';

/** A cell of a notebook, read. */
export interface BlockCell {
  /** Undefined where nothing can be said of what it asks. */
  readonly content: CellContent | undefined;
  /** Figures can be looked up in what it asks. */
  readonly sure: boolean;
  /** Issues whose paths lead into the content, as they are told of the notebook. */
  readonly place: (issues: readonly Issue[]) => readonly Issue[];
}

/** Reads a cell with its parameters filled in, and adds its issues. One with mistakes is read as what it most likely means, to find others with them. */
export function readBlockCell({ cell, data }: Extract<Block, { readonly kind: 'cell' }>, index: number, params: ParamValues, issues: Issue[]): BlockCell {
  const place = (found: readonly Issue[]) => found.map((issue) => ({ ...issue, path: ['blocks', index, ...issue.path] }));
  const read = readCell(cell, data, params);
  issues.push(...place(read.issues));
  if (read.ok) return { content: read.value, sure: true, place };
  const guessed = guessCell(cell, data, params);
  if (!guessed) return { content: undefined, sure: false, place };
  const { content, sure, issues: later, toWritten } = guessed;
  issues.push(...place(later));
  return { content, sure, place: (found) => place(found.filter((issue) => sure || pointsInto(issue)).map((issue) => ({ ...issue, path: toWritten(issue.path) }))) };
}

/** Whether an issue is about something that stands there, not about what may be missing because it was passed over. */
function pointsInto({ path, code }: Issue): boolean {
  return path.length > 0 && code !== 'no-range';
}
