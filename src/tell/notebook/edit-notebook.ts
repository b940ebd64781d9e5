import { invariant } from '../../ask/invariant.ts';
import { type FrontMatterToWrite, readFrontMatter, writeFrontMatter } from './front-matter.ts';
import type { Block, Cell, Notebook } from './notebook.ts';
import { parseCell } from './read-cell.ts';
import { splitMarkdown } from './split-markdown.ts';
import { type CellToWrite, writeCell } from './write-notebook.ts';

// Edits give new notebooks; blocks that are not edited keep their text. They need what they are given to be good.

/** A notebook of a title and nothing else. */
export function newNotebook(frontMatter: FrontMatterToWrite = {}): Notebook {
  return { frontMatter: readFrontMatter(writeFrontMatter(frontMatter)).frontMatter, blocks: [] };
}

/** A cell as a block. Whether what it names is there shows when the notebook is read. */
export function toCell(cell: CellToWrite): Cell {
  const source = writeCell(cell);
  const [piece] = splitMarkdown(source, 0);
  invariant(piece?.kind === 'cell' && piece.end === source.length, 'a written cell is one cell');
  return { kind: 'cell', cell: piece.cell, source, data: parseCell(source, piece).data };
}

/** With a block before the one at `index`; at the end where there is none. */
export function insertBlock(notebook: Notebook, index: number, block: Block): Notebook {
  return { ...notebook, blocks: withSeams(notebook.blocks.toSpliced(index, 0, block), [index - 1, index]) };
}

/** New neighbours stay apart: a blank line stands behind each of these blocks that has another one behind it. */
function withSeams(blocks: readonly Block[], indexes: readonly number[]): readonly Block[] {
  return blocks.map((block, index) => {
    const following = blocks
      .slice(index + 1)
      .map(({ source }) => source)
      .join('');
    return following !== '' && indexes.includes(index) ? separate(block, following) : block;
  });
}

function separate(block: Block, following: string): Block {
  const lineBreak = block.source.includes('\r\n') ? '\r\n' : '\n';
  // What is indented would go on with a list: a comment ends that.
  const end =
    block.kind === 'prose' && /^(?:[ \t]*\r?\n)*[ \t]+\S/.test(following) ? `<!-- -->${lineBreak}${lineBreak}` : '';
  if (/^[ \t]*\r?\n/.test(following) && end === '') return block;
  const blank = /(?:^|\n)[ \t]*\r?\n$/.test(block.source)
    ? ''
    : block.source.endsWith('\n')
      ? lineBreak
      : lineBreak + lineBreak;
  return { ...block, source: block.source + blank + end };
}
