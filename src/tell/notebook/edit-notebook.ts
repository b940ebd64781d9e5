import { invariant } from '../../ask/invariant.ts';
import { type FrontMatterToWrite, readFrontMatter, writeFrontMatter } from './front-matter.ts';
import type { Cell, Notebook } from './notebook.ts';
import { parseCell } from './read-cell.ts';
import { type Piece, proseEnd, splitMarkdown } from './split-markdown.ts';
import { type CellToWrite, writeCell } from './write-notebook.ts';

/** A notebook with only front matter. */
export function newNotebook(frontMatter: FrontMatterToWrite): Notebook {
  return { frontMatter: readFrontMatter(writeFrontMatter(frontMatter)).frontMatter, blocks: [] };
}

/** Turns a cell into a block. Reading the notebook later checks the names it refers to. */
export function toCell(cell: CellToWrite): Cell {
  const source = writeCell(cell);
  const [piece] = splitMarkdown(source, 0);
  invariant(piece?.kind === 'cell' && piece.end === source.length, 'a written cell is one cell');
  return { kind: 'cell', cell: piece.cell, source, data: parseCell(source, piece).data };
}

/**
 * The text of a block with the separator that it needs before the following text: a blank line, and an end of prose
 * before more prose, or before indented text that would continue a list.
 */
export function withSeparator(source: string, following: string): string {
  if (following === '') return source;
  const lineBreak = source.includes('\r\n') ? '\r\n' : '\n';
  const next = following.replace(/^(?:[ \t]*\r?\n)+/, '');
  const endsProse =
    source.trim() !== '' &&
    next.trim() !== '' &&
    withoutProseEnd(source) === source &&
    isProse(splitMarkdown(source.trimEnd(), 0).at(-1)) &&
    (/^[ \t]/.test(next) || isProse(splitMarkdown(next, 0)[0]));
  if (/^[ \t]*\r?\n/.test(following) && !endsProse) return source;
  const blank = /(?:^|\n)[ \t]*\r?\n$/.test(source) ? '' : source.endsWith('\n') ? lineBreak : lineBreak + lineBreak;
  return source + blank + (endsProse ? `${proseEnd}${lineBreak}${lineBreak}` : '');
}

/** Prose without the end that separates it from prose below. */
export function withoutProseEnd(source: string): string {
  const text = source.trimEnd();
  const body = text.slice(0, -proseEnd.length);
  return text.endsWith(proseEnd) && /\n[ \t]*$/.test(body) ? body.trimEnd() : source;
}

function isProse(piece: Piece | undefined): boolean {
  return piece?.kind === 'prose';
}
