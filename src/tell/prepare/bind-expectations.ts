import { errorIssue, settle, type Issue, type Outcome } from '../../ask/outcome.ts';
import type { CheckCell } from '../notebook/notebook.ts';
import { readFigurePath } from '../notebook/read-quotes.ts';
import { bindFigure, type FigureScope } from './bind-block-figure.ts';
import type { FigureWish } from './bind-figure.ts';
import type { BoundExpectation, BoundFigure } from './prepared.ts';

/** The figures that a check is about. Issues carry paths into the cell. */
export function bindExpectations({ expect }: CheckCell, scope: FigureScope): Outcome<readonly BoundExpectation[]> {
  const issues: Issue[] = [];
  const bound = expect.flatMap((expectation, index): BoundExpectation[] => {
    const { figure, every, of } = expectation;
    const key = every === undefined ? 'figure' : 'every';
    const find = (text: string, where: string, wish: FigureWish): BoundFigure | undefined => {
      const read = readFigurePath(text);
      const found = read.ok ? bindFigure(read.value, scope, wish) : read;
      issues.push(...(found?.issues ?? []).map((issue) => ({ ...issue, path: ['expect', index, where] })));
      return found?.ok ? found.value : undefined;
    };
    const own = find(every ?? figure ?? '', key, { every: every !== undefined });
    if (of === 'previous' && every !== undefined) {
      issues.push(errorIssue('no-change', 'Rows are not compared with the stretch before.', { path: ['expect', index, 'of'], hint: 'Write `figure:` with a total, such as page_views.total.' }));
    }
    const other = typeof of === 'string' ? find(of === 'previous' ? `${figure ?? ''}.previous` : of, of === 'previous' ? key : 'of', {}) : of;
    if (!own || (of !== undefined && other === undefined)) return [];
    return [{ expectation, figure: own, of: other }];
  });
  return settle(bound, issues);
}
