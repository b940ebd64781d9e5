import { didYouMean } from '../../ask/did-you-mean.ts';
import { errorIssue, type Issue, type IssuePath, type Span } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { findParam, unknownParam } from './fill-params.ts';
import { cellKinds, type Cell, type CellKind, type Notebook } from './notebook.ts';
import type { ParamValues } from './param.ts';
import type { FigurePath } from './quote.ts';
import { ownName } from './read-front-matter.ts';
import { readFigurePath } from './read-quotes.ts';

/** Cells that have figures. */
const answered: readonly CellKind[] = cellKinds.filter((kind) => kind !== 'annotations' && kind !== 'check');

/** What `{{ report.… }}` can say. */
export const ownParts = ['title', 'asOf', 'zone'] as const;

/**
 * Names that stand twice, and figures of cells and parameters that there are not, in prose and in checks. `spanIn` gives the span of
 * a stretch of a block's source.
 */
export function checkNames({ blocks }: Notebook, params: ParamValues, spanIn: (block: number, start: number, end: number) => Span): readonly Issue[] {
  const issues: Issue[] = [];
  const named = new Map<string, CellKind>();
  blocks.forEach((block, index) => {
    const name = block.kind === 'cell' ? nameOf(block) : undefined;
    if (block.kind !== 'cell' || name === undefined) return;
    const path = ['blocks', index, 'name'];
    if (named.has(name)) issues.push(errorIssue('name-taken', `Two cells are called ${quote(name)}.`, { path, hint: 'Give each a name of its own.' }));
    else if (params.has(name) || name === ownName) issues.push(errorIssue('name-taken', `A cell cannot be called ${quote(name)}: ${name === ownName ? 'that is the report itself' : 'a parameter is'}.`, { path, hint: 'Call it something else.' }));
    named.set(name, block.cell);
  });
  const names = [...named].filter(([, kind]) => answered.includes(kind)).map(([name]) => name);

  const check = (path: FigurePath, isProse: boolean): Issue | undefined => {
    if (names.includes(path.name)) return undefined;
    if (isProse && path.name === ownName) return checkOwn(path);
    if (isProse && params.has(path.name)) return findParam(path.text, params) ? undefined : unknownParam(path.text, params);
    const all = isProse ? [...names, ...params.keys(), ownName] : names;
    const few = all.length === 0 ? 'No cell has a name: add `name:` to the one that is meant.' : `There are ${all.join(', ')}.`;
    return errorIssue('unknown-figure', `There is no ${isProse ? 'cell or parameter' : 'cell'} ${quote(path.name)}.`, { hint: didYouMean(path.name, all) ?? few });
  };

  blocks.forEach((block, index) => {
    if (block.kind === 'prose') {
      for (const { path, start, end } of block.quotes) {
        const issue = check(path, true);
        if (issue) issues.push({ ...issue, span: spanIn(index, start, end) });
      }
    } else if (block.cell === 'check') {
      for (const { text, path } of figuresIn(block)) {
        const read = readFigurePath(text);
        const found = read.ok ? check(read.value, false) : read.issues[0];
        if (found) issues.push({ ...found, path: ['blocks', index, ...path] });
      }
    }
  });
  return issues;
}

/** The name of a cell, whatever else is wrong with it. */
export function nameOf({ data }: Cell): string | undefined {
  const name = data !== null && typeof data === 'object' && 'name' in data ? data.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

function checkOwn({ text, steps }: FigurePath): Issue | undefined {
  if (steps.length === 1 && ownParts.some((part) => part === steps[0])) return undefined;
  return errorIssue('unknown-figure', `There is no ${quote(text)}.`, { hint: `There are ${ownParts.map((part) => `${ownName}.${part}`).join(', ')}.` });
}

/** The figures that a check names, as written. */
function figuresIn({ data }: Cell): readonly { readonly text: string; readonly path: IssuePath }[] {
  const expect = data !== null && typeof data === 'object' && 'expect' in data && Array.isArray(data.expect) ? data.expect : [];
  return expect.flatMap((one: unknown, index) => (
    ['figure', 'every', 'of'].flatMap((key) => {
      const text = one !== null && typeof one === 'object' ? (one as Readonly<Record<string, unknown>>)[key] : undefined;
      return typeof text === 'string' && text.trim() !== '' && !(key === 'of' && text === 'previous') ? [{ text, path: ['expect', index, key] }] : [];
    })
  ));
}
