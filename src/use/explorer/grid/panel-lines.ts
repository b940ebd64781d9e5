import type { Column } from '../../../plan/column.ts';
import type { ColumnStatistics } from '../../../run/stored-view.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth, padToCells, truncateToCells } from '../../../show/labels/cell-width.ts';
import { breakLine } from '../../../show/labels/wrap-words.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from '../../../show/terminal/glyphs.ts';
import { type TextLook, paint } from '../../../show/terminal/paint.ts';
import { drawSparkline, layOutJson, textOfValue } from './grid-cell.ts';
import { cellAt } from './grid-pages.ts';
import type { GridPanel, GridState } from './grid-state.ts';

/** Sanitizes a text and wraps it at blanks to `cells`, without loss. Lazy: makes one line at a time. */
function* wrapText(text: string, cells: number): Generator<string> {
  for (const line of linesOf(text))
    yield* breakLine(sanitize(line.replaceAll('\t', '    ')), Math.max(1, cells), { atBlanks: true });
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (const match of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    yield text.slice(start, match.index);
    start = match.index + match[0].length;
  }
  yield text.slice(start);
}

type ScrolledPanel = Exclude<GridPanel, { kind: 'filter' }>;

/** The visible lines of a panel from its scroll position, at most `height`. */
export function* panelLines(state: GridState, panel: ScrolledPanel, look: TextLook, height: number): Generator<string> {
  let line = 0;
  for (const text of allLines(state, panel, look)) {
    if (line >= panel.scroll + height) return;
    if (line >= panel.scroll) yield text;
    line += 1;
  }
}

/** `wanted`, limited to the farthest scroll position of the panel. */
export function clampScroll(state: GridState, panel: ScrolledPanel, height: number, wanted: number): number {
  let count = 0;
  for (const _line of allLines(state, panel, { depth: 'plain', unicode: true })) {
    count += 1;
    if (count >= wanted + height) return wanted;
  }
  return Math.max(0, Math.min(wanted, count - height));
}

function* allLines(state: GridState, panel: ScrolledPanel, look: TextLook): Generator<string> {
  const glyphs = look.unicode ? unicodeGlyphs : asciiGlyphs;
  const { column, heading = '' } = state.columns[panel.column] ?? {};
  if (!column) return;
  const title = (text: string) => paint(truncateToCells(text, state.width, glyphs.ellipsis), 'heading', look);
  if (panel.kind === 'statistics') {
    yield title(heading);
    if (panel.problem !== undefined)
      yield paint(truncateToCells(sanitize(panel.problem), state.width, glyphs.ellipsis), 'error', look);
    else if (!panel.statistics)
      yield paint(truncateToCells(`counting${glyphs.ellipsis}`, state.width, glyphs.ellipsis), 'quiet', look);
    else
      for (const line of statisticsLines(panel.statistics, column, state.width, glyphs, look))
        yield truncateToCells(line, state.width, glyphs.ellipsis);
    return;
  }
  yield title(`${heading}, row ${formatNumber(panel.row + 1)}`);
  const cell = cellAt(state, panel.row, panel.column);
  if (!cell) yield paint(glyphs.ellipsis, 'quiet', look);
  else if (typeof cell.value !== 'string' || cell.value === '' || column.type !== 'string')
    yield* wrapText(textOfValue(cell.value, column, glyphs), state.width);
  else yield* wrapText(layOutJson(cell.value) ?? cell.value, state.width);
}

const percentiles = ['5%', '25%', 'median', '75%', '95%'];

function* statisticsLines(
  statistics: ColumnStatistics,
  column: Column,
  width: number,
  glyphs: Glyphs,
  look: TextLook,
): Generator<string> {
  const { rowCount, nullCount, distinctCount, least, greatest, mean, quantiles, top, histogram } = statistics;
  const shown = (value: Parameters<typeof textOfValue>[0]) => textOfValue(value, column, glyphs);
  const share = (count: number) =>
    rowCount === 0 ? '' : `${formatNumber(Math.round((count / rowCount) * 1000) / 10)}%`;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['rows', formatNumber(rowCount)],
    ['no value', nullCount === 0 ? '0' : `${formatNumber(nullCount)}  ${share(nullCount)}`],
    ['different', formatNumber(distinctCount)],
    ['least', shown(least)],
    ['greatest', shown(greatest)],
    ...(mean === undefined
      ? []
      : [['mean', formatNumber(mean, column.format === 'id' ? undefined : column.format)] as const]),
    ...(quantiles ?? []).map((value, index) => [percentiles[index] ?? '', shown(value)] as const),
  ];
  const names = Math.max(...facts.map(([name]) => cellWidth(name)));
  for (const [name, value] of facts) yield `${padToCells(name, names, 'left')}  ${value}`;
  if (histogram?.some((count) => count > 0)) {
    yield `${padToCells('spread', names, 'left')}  ${drawSparkline(histogram, look)}`;
  }
  if (top.length === 0) return;
  yield '';
  yield 'most common values';
  const counts = top.map(({ count }) => formatNumber(count));
  const countWidth = Math.max(...counts.map(cellWidth));
  const shares = top.map(({ count }) => share(count));
  const shareWidth = Math.max(...shares.map(cellWidth));
  const room = Math.max(1, Math.min(60, width - countWidth - shareWidth - 6));
  const texts = top.map(({ value }) => truncateToCells(shown(value), room, glyphs.ellipsis));
  const textWidth = Math.max(...texts.map(cellWidth));
  for (const [index, text] of texts.entries()) {
    yield `  ${padToCells(text, textWidth, 'left')}  ${padToCells(counts[index] ?? '', countWidth, 'right')}  ${padToCells(shares[index] ?? '', shareWidth, 'right')}`;
  }
}
