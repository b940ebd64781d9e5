import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { cellKinds, type CellKind } from './cell-kinds.ts';

/** A part of a notebook's text. Offsets are in the whole text; `end` is exclusive. */
export type Piece = ProsePiece | CellPiece;

export interface ProsePiece {
  readonly kind: 'prose';
  readonly start: number;
  readonly end: number;
  /** The ranges of plain text: no code, HTML or link addresses. */
  readonly texts: readonly { readonly start: number; readonly end: number }[];
  /** Fenced blocks that are not cells, by the first word after the fence. */
  readonly fences: readonly { readonly word: string; readonly start: number; readonly body: string }[];
}

export interface CellPiece {
  readonly kind: 'cell';
  readonly cell: CellKind;
  readonly start: number;
  readonly end: number;
  /** The YAML between the fences. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly closed: boolean;
}

type Part = Root['children'][number];

/** A line that opens more than 64 quotes and lists. Parsers need quadratic time for it, and recurse too deeply. */
const tooDeep = /^[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){65}/m;

/** The offset of Markdown that is nested too deeply to read; undefined if there is none. */
export function findDeepMarkdown(text: string, start: number): number | undefined {
  const found = tooDeep.exec(text.slice(start));
  return found ? start + found.index : undefined;
}

/** An empty comment at the top level. It ends a piece of prose. */
export const proseEnd = '<!-- -->';

/**
 * Splits Markdown at its cells: fenced blocks at the top level, by the rules of CommonMark. Prose is split after each
 * `proseEnd` and the blank lines that follow. The pieces cover the text from `start`.
 */
export function splitMarkdown(text: string, start: number): readonly Piece[] {
  // The parser does not count a byte order mark.
  const origin = text.charCodeAt(start) === 0xfeff ? start + 1 : start;
  const { children } = fromMarkdown(text.slice(origin));
  const pieces: Piece[] = [];
  let proseStart = start;
  let prose: Part[] = [];
  const endProse = (end: number) => {
    if (end > proseStart) pieces.push({ kind: 'prose', start: proseStart, end, ...lookInto(prose, text, origin) });
    prose = [];
  };
  for (const part of children) {
    const cell = part.type === 'code' ? toCellKind(part.lang, part.meta) : undefined;
    const from = part.position?.start.offset;
    const to = part.position?.end.offset;
    if (part.type === 'html' && part.value.trim() === proseEnd && to !== undefined) {
      const end = afterBlanks(text, origin + to);
      prose.push(part);
      endProse(end);
      proseStart = end;
      continue;
    }
    if (cell === undefined || from === undefined || to === undefined || !isFence(text, origin + from)) {
      prose.push(part);
      continue;
    }
    const lineStart = text.lastIndexOf('\n', origin + from - 1) + 1;
    const piece = toCellPiece(text, cell, Math.max(lineStart, origin), origin + to);
    endProse(piece.start);
    pieces.push(piece);
    proseStart = piece.end;
  }
  endProse(text.length);
  return pieces;
}

function toCellKind(lang: string | null | undefined, meta: string | null | undefined): CellKind | undefined {
  const word = lang?.toLowerCase();
  const kind = word === 'yaml' || word === 'yml' ? meta?.trim().split(/\s+/, 1)[0]?.toLowerCase() : word;
  return cellKinds.find((known) => known === kind);
}

function isFence(text: string, at: number): boolean {
  return text[at] === '`' || text[at] === '~';
}

function toCellPiece(text: string, cell: CellKind, start: number, fenceEnd: number): CellPiece {
  const bodyStart = Math.min(afterBreak(text, start), fenceEnd);
  const lastLine = text.lastIndexOf('\n', fenceEnd - 1) + 1;
  const [, fence = ''] = /^[ \t]*(`+|~+)/.exec(text.slice(start, bodyStart)) ?? [];
  const last = text.slice(lastLine, fenceEnd).trim();
  const closed =
    lastLine >= bodyStart &&
    lastLine > start &&
    last.length >= fence.length &&
    last === (fence[0] ?? '').repeat(last.length);
  return {
    kind: 'cell',
    cell,
    start,
    end: closed ? afterBreak(text, fenceEnd) : fenceEnd,
    bodyStart,
    bodyEnd: closed ? lastLine : fenceEnd,
    closed,
  };
}

/** The offset after the rest of a blank line and the blank lines below it. */
function afterBlanks(text: string, at: number): number {
  const blanks = /[ \t]*(?:\r?\n[ \t]*(?=\r?\n|$))*(?:\r?\n|$)/y;
  blanks.lastIndex = at;
  return at + (blanks.exec(text)?.[0].length ?? 0);
}

/** The start of the next line. */
function afterBreak(text: string, at: number): number {
  const line = text.indexOf('\n', at);
  return line === -1 ? text.length : line + 1;
}

function lookInto(parts: readonly Part[], text: string, origin: number): Pick<ProsePiece, 'texts' | 'fences'> {
  const texts: { readonly start: number; readonly end: number }[] = [];
  const fences: { readonly word: string; readonly start: number; readonly body: string }[] = [];
  const visit = (part: Part) => {
    const start = part.position?.start.offset;
    const end = part.position?.end.offset;
    if (start === undefined || end === undefined) return;
    if (part.type === 'text') texts.push({ start: origin + start, end: origin + end });
    if (part.type === 'code' && part.lang && isFence(text, origin + start))
      fences.push({ word: part.lang, start: origin + start, body: part.value });
    if ('children' in part) for (const child of part.children) visit(child);
  };
  for (const part of parts) visit(part);
  return { texts, fences };
}
