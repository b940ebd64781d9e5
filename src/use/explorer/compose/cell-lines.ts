import type { Result } from '../../../shape/result/result.ts';
import { formatCount } from '../../../shape/format/format-number.ts';
import { truncateToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../../show/terminal/glyphs.ts';
import { toTableColumns } from '../../../show/terminal/table-columns.ts';
import { layOutRows } from '../../../show/terminal/table-rows.ts';
import { layOutTable } from '../../../show/terminal/write-table.ts';
import { askText, titleOf } from '../state/ask-text.ts';
import { chartRoom, indent, tableRows } from '../state/screen-rooms.ts';
import { type CellAnswer, type ExplorerCell, type ExplorerState, isOutdated, type Told } from '../state/state.ts';
import { type TextLook, paint, paintLine, type Tone } from '../../../show/terminal/paint.ts';
import { ellipsisOf, fitSides, type Stretch, pointerOf } from './paint-line.ts';

type CellSurroundings = Pick<ExplorerState, 'size' | 'now' | 'data'>;

/** Lines of a cell: its question, then its answer or error, then a blank line. */
export function composeCell(
  cell: ExplorerCell,
  place: { readonly index: number; readonly chosen: boolean },
  around: CellSurroundings,
  look: TextLook,
): readonly string[] {
  return [headOf(cell, place, around, look), ...bodyOf(cell, around, look), ''];
}

/** Number of lines that `composeCell` returns. */
export function cellHeight(cell: ExplorerCell, around: CellSurroundings): number {
  return bodyOf(cell, around, heightLook).length + 2;
}

const heightLook: TextLook = { depth: 'plain', unicode: true };

function headOf(
  cell: ExplorerCell,
  { index, chosen }: { readonly index: number; readonly chosen: boolean },
  { size, now, data }: CellSurroundings,
  look: TextLook,
): string {
  const title = titleOf(cell);
  const start: readonly Stretch[] = [
    { text: `${pointerOf(chosen, look)}${index + 1}  `, tone: chosen ? 'accent' : 'quiet' },
    ...(title === undefined ? [] : [{ text: `${title}  `, tone: 'heading' as const }]),
    { text: askText(cell.ask), tone: cell.ask.kind === 'text' || title !== undefined ? 'quiet' : 'heading' },
  ];
  return fitSides(start, statesOf(cell, now, data), size.columns, look);
}

/** The state of the question, and whether the data have changed since, shown at the right. */
function statesOf(cell: ExplorerCell, now: number, data: string | undefined): readonly Stretch[] {
  const state = stateOf(cell, now);
  return isOutdated(cell, data) ? [{ text: 'outdated  ', tone: 'alert' }, state] : [state];
}

function stateOf({ ask, run, answer }: ExplorerCell, now: number): Stretch {
  const rows = answer === undefined ? '' : formatCount(answer.rowCount, 'row');
  switch (run.kind) {
    case 'none':
      return { text: ask.kind === 'text' ? '' : 'not run yet', tone: 'quiet' };
    case 'running':
      return {
        text: `${run.note === undefined ? '' : `${run.note}  `}${showElapsed(now - run.since)}  esc stops`,
        tone: 'accent',
      };
    case 'done':
      return { text: ask.kind === 'text' ? '' : `${rows}  ${showElapsed(run.elapsedMs)}`, tone: 'quiet' };
    case 'cancelled':
      return { text: rows === '' ? 'stopped' : `stopped; ${rows} from the previous run`, tone: 'alert' };
    case 'failed':
      return { text: 'failed', tone: 'error' };
  }
}

function showElapsed(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1000)).padStart(2, '0')} min`;
}

interface Remembered {
  readonly width: number;
  readonly rows: number;
  readonly look: TextLook;
  readonly lines: readonly string[];
}

// Drawing tables dominates the cost of a frame. A change of a cell creates a new object, so a `WeakMap` caches its
// lines.
const remembered = new WeakMap<ExplorerCell, Remembered>();

function bodyOf(cell: ExplorerCell, around: CellSurroundings, look: TextLook): readonly string[] {
  const width = Math.max(1, around.size.columns - indent);
  const margin = ' '.repeat(Math.max(0, Math.min(indent, around.size.columns - width)));
  const rows = around.size.rows;
  const known = remembered.get(cell);
  if (known && known.width === width && known.rows === rows && (known.look === look || look === heightLook))
    return known.lines;
  const lines = drawBody(cell, width, around, look).map((line) => (line === '' ? '' : margin + line));
  remembered.set(cell, { width, rows, look, lines });
  return lines;
}

// In the prompt, the key completes names; `esc` moves to the answers.
const seeAll = 'press tab in the answers for all';

function drawBody(cell: ExplorerCell, width: number, around: CellSurroundings, look: TextLook): readonly string[] {
  const { ask, run, answer, chart } = cell;
  if (run.kind === 'failed') {
    const { message, hint } = run.failure;
    return [
      ...message.split('\n').flatMap((line) => messageLines(line, width, look)),
      ...(hint === undefined
        ? []
        : wrapWords(sanitize(hint), width, { ellipsis: ellipsisOf(look) }).map((line) => paint(line, 'plain', look))),
    ];
  }
  if (ask.kind === 'text')
    return cell.told
      ? toldLines(cell.told, width, around, look, answer && seeAll)
      : askText(ask) === ''
        ? toldLines([{ kind: 'text', tone: 'plain', text: ask.source.trim() }], width, around, look)
        : textLines(ask.source.trim().split('\n').slice(1, 4), width, 'quiet', look);
  if (!answer) return run.kind === 'running' && run.first ? firstTable(run.first, width, tableRows(around), look) : [];
  if (cell.shows === 'chart') {
    if (chart?.problem !== undefined)
      return [
        ...textLines([`No chart: ${chart.problem}`], width, 'alert', look),
        ...previewTable(answer, width, tableRows(around), look, seeAll),
      ];
    // Reserve the height of the chart, so that nothing moves when it arrives.
    return (
      chart?.lines ?? [
        ...textLines(['drawing'], width, 'quiet', look),
        ...new Array<string>(Math.max(0, chartRoom(around).height - 1)).fill(''),
      ]
    );
  }
  return previewTable(answer, width, tableRows(around), look, seeAll);
}

/** The output of a report block: its text wrapped, its tables and charts drawn as those of questions. */
function toldLines(
  told: readonly Told[],
  width: number,
  around: CellSurroundings,
  look: TextLook,
  howToSeeAll?: string,
): readonly string[] {
  return told.flatMap((piece) => {
    if (piece.kind === 'text')
      return piece.text
        .split('\n')
        .flatMap((line) =>
          line.trim() === '' ? [''] : wrapWords(sanitize(line), width, { ellipsis: ellipsisOf(look) }),
        )
        .map((line) => (line === '' ? '' : paint(line, piece.tone, look)));
    // A chart that is wider than the screen is shown as a table.
    if (piece.kind === 'chart' && piece.width <= width) return piece.lines;
    const { result } = piece;
    return previewTable({ head: result, rowCount: result.rowCount }, width, tableRows(around), look, howToSeeAll);
  });
}

/** Text of a message is wrapped. A line of a question and the marks below it are not, because they belong together. */
function messageLines(line: string, width: number, look: TextLook): readonly string[] {
  const [, margin = '', text = ''] = /^( *)(.*)$/s.exec(line) ?? [];
  if (margin !== '' && !text.startsWith('hint: ')) return textLines([line], width, 'error', look);
  const room = Math.max(1, width - margin.length);
  return wrapWords(sanitize(text), room, { ellipsis: ellipsisOf(look) }).map((part) =>
    paint(`${margin}${part}`, 'error', look),
  );
}

function textLines(lines: readonly string[], width: number, tone: Tone, look: TextLook): readonly string[] {
  return lines.map((line) => paint(truncateToCells(sanitize(line), width, ellipsisOf(look)), tone, look));
}

/** The first rows of an answer that is still loading. */
function firstTable(first: Result, width: number, rows: number, look: TextLook): readonly string[] {
  const glyphs = look.unicode ? unicodeGlyphs : asciiGlyphs;
  const shown = Math.min(rows, first.rowCount);
  const columns = toTableColumns(first, shown, glyphs, { arrows: true });
  return [
    ...layOutRows(columns, shown, width, glyphs).lines.map((line) => paintLine(line, look)),
    ...textLines([`First ${shown} rows shown; the rest is loading.`], width, 'quiet', look),
  ];
}

/** The first rows of an answer, drawn as in all commands, and how to see the rest. */
function previewTable(
  { head, rowCount: answerRows }: Pick<CellAnswer, 'head' | 'rowCount'>,
  width: number,
  maxRows: number,
  look: TextLook,
  howToSeeAll?: string,
): readonly string[] {
  const { unicode } = look;
  return layOutTable(head, { width, maxRows, answerRows, unicode, howToSeeAll }).map((line) => paintLine(line, look));
}
