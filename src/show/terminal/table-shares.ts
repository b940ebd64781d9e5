import type { Column } from '../../plan/column.ts';
import { formatValue } from '../../shape/format/format.ts';
import type { Result } from '../../shape/result/result.ts';
import { sumValues } from '../../shape/values/decimal.ts';
import { toDrawable } from '../chart/column-roles.ts';
import { formatShare } from '../labels/step-conversion.ts';
import { asciiGlyphs, drawBar, type Glyphs, gap } from './glyphs.ts';
import { hasTotals, signRoom, type TableColumn } from './table-columns.ts';
import { fitColumns } from './fit-columns.ts';
import type { TextRun } from './table-line.ts';

/** Shorter bars say nothing; longer ones lead away from their figures. */
const shortest = 10;
const longest = 30;

/**
 * Adds, if they fit on a screen, bars in proportion to the only measure, and shares if its values are parts of a known
 * whole. `whole`: the result has all rows of its answer.
 */
export function withShares(
  columns: readonly TableColumn[],
  result: Result,
  {
    rowCount,
    whole,
    width,
    glyphs,
  }: { readonly rowCount: number; readonly whole: boolean; readonly width: number; readonly glyphs: Glyphs },
): readonly TableColumn[] {
  const [measure, another] = result.columns.filter(({ kind }) => kind === 'measure');
  if (!Number.isFinite(width) || rowCount < 2 || another || measure?.type !== 'number' || result.columns.length < 2)
    return columns;
  const data = result.values(measure.key);
  const values = Array.from(data, toDrawable);
  const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  if (most <= 0 || values.some((value) => (value ?? 0) < 0)) return columns;
  const isParts = hasTotals(result, whole) && measure.additive && result.columns.every(({ kind }) => kind !== 'time');
  const shares = isParts ? toShares(result, measure, rowCount) : undefined;
  for (const more of shares ? [[shares], []] : [[]]) {
    const room = width - widthOf([...columns, ...more], width, glyphs) - gap;
    if (room < shortest) continue;
    const bars = Array.from(
      { length: rowCount },
      (_, row): TextRun => ({
        text: drawBar(values[row] ?? 0, most, Math.min(longest, room), glyphs !== asciiGlyphs),
        style: 'quiet',
      }),
    );
    return [...columns, ...more, toColumn('', 'left', bars)];
  }
  return columns;
}

function toShares(result: Result, measure: Column, rowCount: number): TableColumn | undefined {
  const data = result.values(measure.key);
  const total = sumValues(Array.from(data));
  const sum = toDrawable(total);
  if (sum === null || sum <= 0) return undefined;
  const shares = Array.from({ length: rowCount }, (_, row): TextRun => {
    const value = toDrawable(data[row] ?? null);
    return { text: formatShare(value === null ? null : (value / sum) * 100, ''), style: 'quiet' };
  });
  return toColumn(`Share of ${formatValue(total, measure)}`, 'right', shares);
}

function toColumn(heading: string, align: 'left' | 'right', values: readonly TextRun[]): TableColumn {
  return {
    heading,
    group: undefined,
    least: undefined,
    align,
    shrinks: false,
    values,
    valueWidth: values.reduce((most, { text }) => Math.max(most, text.length), 0),
    signs: values.map(() => ({ text: '', style: 'plain' })),
    signWidth: 0,
    flags: 0,
  };
}

function widthOf(columns: readonly TableColumn[], width: number, { ellipsis }: Glyphs): number {
  const needs = columns.map((column) => ({
    heading: column.heading,
    values: column.valueWidth + signRoom(column),
    shrinks: column.shrinks,
  }));
  const widths = fitColumns(needs, width, gap, ellipsis);
  return widths.length < columns.length
    ? Infinity
    : widths.reduce((sum, cells) => sum + cells, gap * (widths.length - 1));
}
