import { formatNumber } from '../../shape/format/format-number.ts';
import { type FunnelGroup, toPercent } from '../../shape/funnel-result.ts';
import { cellWidth, padToCells, truncateToCells } from '../labels/cell-width.ts';
import { describePassage, describeTimedPassage, formatShare } from '../labels/step-conversion.ts';
import { sanitize } from '../labels/sanitize.ts';
import { asciiGlyphs, drawBar, unicodeGlyphs } from './glyphs.ts';
import { type Line, type TextRun, toLine, toPlainText } from './table-line.ts';
import { writeLines, type WriteTableOptions } from './write-table.ts';

interface FunnelBars extends Pick<FunnelGroup, 'reached' | 'toConvert'> {
  /** Names of the steps. */
  readonly names: readonly string[];
}

/** The most cells of a bar, even on a wide screen. */
const widestBar = 60;
/** The width used if it is unlimited. */
const usualWidth = 80;

/**
 * Draws a funnel with one bar per step, and how many continued and dropped off in between. No line is wider than
 * `width`.
 */
export function layOutFunnelBars(
  { names, reached, toConvert }: FunnelBars,
  { width, unicode = true }: Pick<WriteTableOptions, 'width' | 'unicode'>,
): readonly Line[] {
  const whole = Number.isFinite(width) ? Math.max(1, width) : usualWidth;
  const glyphs = unicode ? unicodeGlyphs : asciiGlyphs;
  const counts = reached.map((count) => (count === null ? glyphs.nothing : formatNumber(count)));
  const shares = reached.map((count) => formatShare(toPercent(count, reached[0] ?? null), glyphs.nothing));
  const numbers = widest(counts) + 2 + widest(shares);
  const labels = names.map((name, index) => `${index + 1} ${sanitize(name)}`);
  const labelRoom = Math.max(1, Math.min(widest(labels), Math.floor((whole - numbers - 4) / 2)));
  const barRoom = Math.max(0, Math.min(widestBar, whole - labelRoom - numbers - 4));
  const top = Math.max(0, ...reached.map((count) => count ?? 0));
  return reached.flatMap((count, index): Line[] => {
    const label = padToCells(truncateToCells(labels[index] ?? '', labelRoom, glyphs.ellipsis), labelRoom, 'left');
    const bar = padToCells(drawBar(count ?? 0, top, barRoom, unicode), barRoom, 'left');
    const step: TextRun[] = [
      { text: `${label}  `, style: 'heading' },
      { text: bar, style: 'plain' },
      {
        text: `  ${padToCells(counts[index] ?? '', widest(counts), 'right')}  ${padToCells(shares[index] ?? '', widest(shares), 'right')}`,
        style: 'plain',
      },
    ];
    const line = cutLine(toLine(step), whole, glyphs.ellipsis);
    if (index === 0) return [line];
    const indent = Math.min(labelRoom + 2, 4);
    const room = Math.max(0, whole - indent);
    const went = describePassage(reached[0] ?? null, reached[index - 1] ?? null, count);
    const timed = describeTimedPassage(went, toConvert?.[index]?.median);
    const passage = truncateToCells(cellWidth(timed) <= room ? timed : went, room, glyphs.ellipsis);
    return [toLine([{ text: `${' '.repeat(indent)}${passage}`, style: 'quiet' }]), line];
  });
}

/** The same as text; every line ends with a line feed. */
export async function writeFunnelBars(bars: FunnelBars, options: WriteTableOptions): Promise<string> {
  return writeLines(layOutFunnelBars(bars, options), options.colour);
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(cellWidth));
}

/** On a screen too narrow for the figures, lines are cut at the end. */
function cutLine(line: Line, cells: number, ellipsis: string): Line {
  const text = toPlainText(line);
  return cellWidth(text) <= cells ? line : toLine([{ text: truncateToCells(text, cells, ellipsis), style: 'plain' }]);
}
