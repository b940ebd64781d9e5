import type { Outcome } from '../../../ask/outcome.ts';
import { bad, errorIssue, good } from '../../../ask/outcome.ts';
import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import { readNotation } from '../../../ask/query/notation/read-notation.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import { insertBlock, newNotebook, toCell } from '../../../tell/notebook/edit-notebook.ts';
import type { Block, QueryCell } from '../../../tell/notebook/notebook.ts';
import type { CellToWrite } from '../../../tell/notebook/write-cell.ts';
import type { SavedCell } from '../effects.ts';
import type { WrittenCell } from '../message.ts';
import type { NotebookFile, OpenWorkspace } from '../state.ts';

export interface NotebookText {
  readonly frontMatter: string;
  readonly text: string;
  readonly cells: readonly WrittenCell[];
}

/** Cells as a notebook. What stood in the file and was not changed keeps its text to the byte. Issue: `unsavable-cell`. */
export function writeCells(cells: readonly SavedCell[], file: NotebookFile | undefined, title: string, names: Pick<OpenWorkspace, 'catalog' | 'home' | 'savedQueries'>): Outcome<NotebookText> {
  const frontMatter = file?.frontMatter ?? newNotebook({ title }).frontMatter.source;
  const written: WrittenCell[] = [];
  for (const [index, cell] of cells.entries()) {
    const content = cell.source ?? (cell.ask.kind === 'text' ? cell.ask.source : undefined);
    const block = content === undefined ? toBlock(cell, names) : content;
    if (block === undefined) return bad([errorIssue('unsavable-cell', `Cell ${index + 1} asks nothing that can be saved: its line cannot be read.`, { hint: 'Correct it, or delete it.' })]);
    const { id, ask, shows } = cell;
    written.push({ id, ask, shows, source: block });
  }
  const joined = written.map((cell, index) => ({ ...cell, source: keepApart(cell.source, written[index + 1]?.source, file?.text) }));
  return good({ frontMatter, cells: joined, text: frontMatter + joined.map(({ source }) => source).join('') });
}

function toBlock({ ask, shows }: SavedCell, { catalog, home, savedQueries }: Pick<OpenWorkspace, 'catalog' | 'home' | 'savedQueries'>): string | undefined {
  const show: { readonly show?: 'chart' } = shows === 'chart' ? { show: 'chart' } : {};
  const write = (cell: CellToWrite) => toCell(cell).source;
  if (ask.kind === 'query') return write({ ...toContent(ask.saved), ...show });
  if (ask.kind === 'text') return ask.source;
  if (savedQueries.some(({ name }) => name === ask.line)) return write({ cell: 'query', from: ask.line, ...show });
  const read = readNotation(ask.line, { members: catalog, defaultCube: home });
  return read.ok ? write({ cell: 'query', query: toCanonicalQuery(read.value), ...show }) : undefined;
}

function toContent({ title, description, query, fill, fillWith, chart }: SavedQuery): QueryCell {
  return {
    cell: 'query',
    ...(title !== undefined && { title }), ...(description !== undefined && { description }), query: toCanonicalQuery(query),
    ...(fill && { fill }), ...(fillWith !== undefined && { fillWith }), ...(chart !== undefined && { chart }),
  };
}

/** Blocks that followed each other in the file stay as they were; new neighbours get a blank line between them. */
function keepApart(source: string, next: string | undefined, before: string | undefined): string {
  if (next === undefined || before?.includes(source + next)) return source;
  const asBlock = (text: string): Block => ({ kind: 'prose', source: text, quotes: [] });
  const [first] = insertBlock({ ...newNotebook(), blocks: [asBlock(source)] }, 1, asBlock(next)).blocks;
  return first?.source ?? source;
}
