import { didYouMean } from '../../ask/did-you-mean.ts';
import { bad, errorIssue, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { findParam } from '../notebook/fill-params.ts';
import type { ParamValues } from '../notebook/param.ts';
import type { FigurePath, QuoteFilter } from '../notebook/quote.ts';
import { ownName } from '../notebook/read-front-matter.ts';
import { bindFunnelFigure, bindQuestionFigure, type FigureWish } from './bind-figure.ts';
import type { BoundFigure, PreparedFailure, PreparedFunnel, PreparedQuestion, PreparedUsage } from './prepared.ts';

/** What figures are looked up in. */
export interface FigureScope {
  /** Cells by their names; undefined for one that has issues of its own. */
  readonly cells: ReadonlyMap<string, PreparedQuestion | PreparedFunnel | PreparedUsage | PreparedFailure | undefined>;
  readonly params: ParamValues;
  /** Facts about the report by their paths: `report.title`. */
  readonly own: ReadonlyMap<string, string>;
  readonly usageFigures: readonly string[] | undefined;
}

/**
 * The figure that a path names. Undefined where its cell cannot be asked, which is said there already, and for names that there are
 * not, which reading the notebook has said. Issues: those of `bindQuestionFigure`.
 */
export function bindFigure(path: FigurePath, scope: FigureScope, wish: FigureWish & { readonly filter?: QuoteFilter | undefined } = {}): Outcome<BoundFigure> | undefined {
  const known = path.name === ownName ? scope.own.get(path.text) : undefined;
  if (known !== undefined) return good({ kind: 'known', path, text: known, value: known });
  const param = findParam(path.text, scope.params);
  if (param) {
    if (wish.filter !== undefined) return bad([errorIssue('unknown-filter', `${quote(path.text)} is a parameter: it is quoted as it is.`, { hint: 'Leave the filter out.' })]);
    return good({ kind: 'known', path, text: param.text, value: typeof param.value === 'number' ? param.value : param.text });
  }
  const cell = scope.cells.get(path.name);
  if (!cell) return undefined;
  // Which figures it would have, nobody knows.
  if (cell.kind === 'failure') return good({ kind: 'column', path, cell: path.name, source: 'answer', column: undefined, pick: 'only' });
  if (cell.kind === 'question') return bindQuestionFigure(path, cell, wish);
  if (cell.kind === 'funnel') return bindFunnelFigure(path, cell, wish);
  return bindUsageFigure(path, scope.usageFigures, wish);
}

function bindUsageFigure(path: FigurePath, known: readonly string[] | undefined, wish: FigureWish): Outcome<BoundFigure> {
  const name = path.steps.join('.');
  if (wish.every || (wish.change && !/[cC]hange/.test(name))) return bad([errorIssue('no-change', `${quote(path.text)} cannot be asked for so.`, { hint: `Take ${path.name}.change.` })]);
  if (known && !known.includes(name)) return bad([errorIssue('unknown-figure', `${quote(path.name)} has no ${quote(name)}.`, { hint: didYouMean(name, known) ?? `There are ${known.join(', ')}.` })]);
  return good({ kind: 'usage', path, cell: path.name, name });
}
