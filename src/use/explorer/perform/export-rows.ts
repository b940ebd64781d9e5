import path from 'node:path';
import { SluiceError } from '../../../ask/sluice-error.ts';
import { isThere } from '../../../run/file/is-there.ts';
import type { RowView } from '../../../run/stored-view.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { takeRows } from '../../../shape/result/take-rows.ts';
import type { Result } from '../../../shape/result/result.ts';
import { isRowFormat, readFormatName } from '../../../show/format-name.ts';
import { answerQuestion } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { showPath } from '../../process/show-path.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Session } from '../../workspace/session.ts';
import { openResultView } from '../grid/result-view.ts';
import type { Ask } from '../state/state.ts';
import { toAsking } from './answer-cell.ts';
import type { HeldAnswer } from './held-answers.ts';

/** The rows of the grid, in its order; undefined if they are not all in memory. */
function seenRows({ answer, whole }: Pick<HeldAnswer, 'answer' | 'whole'>, view: RowView): Result | undefined {
  // A pivot has all its rows in `head`.
  const rows = answer.head.rowCount === answer.rowCount ? answer.head : whole;
  if (!rows || (view.sort.length === 0 && view.filters.length === 0)) return rows;
  const { rowCount, rowAt } = openResultView(rows, view);
  return takeRows(
    rows,
    Int32Array.from({ length: rowCount }, (_, row) => rowAt(row)),
  );
}

interface Export {
  /** A format, optionally followed by a file. */
  readonly into: string;
  readonly view: RowView;
  readonly ask: Exclude<Ask, { readonly kind: 'text' }>;
  readonly held: Pick<HeldAnswer, 'answer' | 'whole'>;
}

/**
 * Writes the rows of the grid into a file and returns a message that names it; writes the whole answer if its rows are
 * not in memory. Errors: `unknown-format`, `file-exists`, `too-many-rows`, as writing.
 */
export async function exportRows(
  { into, view, ask, held }: Export,
  session: Session,
  cwd: string,
  signal: AbortSignal,
): Promise<string> {
  const [, name = '', given = ''] = /^(\S+)\s*([^]*)$/.exec(into.trim()) ?? [];
  const format = unwrap(readFormatName(name), 'The format');
  const file = given === '' ? await freeFile(cwd, name.toLowerCase()) : path.resolve(cwd, given);
  if (given !== '' && (await isThere(file)))
    throw new SluiceError(`${showPath(file, cwd)} already exists.`, {
      code: 'file-exists',
      hint: 'Export under another name.',
    });
  const [{ writeAnswerFile }, { findFonts }] = await Promise.all([
    import('../../output/write-answer-file.ts'),
    import('../../output/fonts.ts'),
  ]);
  const options = { signal, chart: { fonts: findFonts, preference: held.answer.saved.chart } };
  const seen = seenRows(held, view);
  if (seen) {
    await writeAnswerFile(seen, format, file, options);
    return `Exported ${formatNumber(seen.rowCount)} rows to ${showPath(file, cwd)}.`;
  }
  if (!isRowFormat(format))
    throw new SluiceError(`These are too many rows for ${format}.`, {
      code: 'too-many-rows',
      hint: 'Export csv, ndjson or parquet, or add `top 100` to the question.',
    });
  const bound = await bindQuestion(session, toAsking(ask, session, cwd), { signal });
  await using answered = await answerQuestion(session, bound, { signal, ranges: 'beside', stream: { typed: true } });
  await writeAnswerFile(answered.whole ?? answered.rows, format, file, options);
  const arranged = view.sort.length > 0 || view.filters.length > 0;
  return (
    `Exported all ${formatNumber(held.answer.rowCount)} rows to ${showPath(file, cwd)}` +
    `${arranged ? ', in the order of the question and without the filter of the rows' : ''}.`
  );
}

/** The first free name: `answer.csv`, `answer-2.csv` and so on. */
async function freeFile(cwd: string, extension: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = path.join(cwd, `answer${number === 1 ? '' : `-${number}`}.${extension}`);
    if (!(await isThere(file))) return file;
  }
}

/** The rows of the grid as text for a spreadsheet. Error: `too-many-rows`. */
export async function tableToCopy(held: Pick<HeldAnswer, 'answer' | 'whole'>, view: RowView): Promise<string> {
  const seen = seenRows(held, view);
  if (!seen || seen.rowCount > mostCopied)
    throw new SluiceError('These are too many rows for the clipboard.', {
      code: 'too-many-rows',
      hint: 'Write a file: `:export csv`.',
    });
  const { writeTsv } = await import('../../../show/text/write-csv.ts');
  return [...writeTsv(seen)].join('');
}

const mostCopied = 5000;
