import { plural } from '../../../ask/plural.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { toSeen } from './cell-look.ts';
import type { Drawing, DrawnBar } from './draw-marks.ts';
import type { FrameLegend } from './read-frame.ts';
import { symbolPaint } from './write-legend.ts';

/** Says what cells do not show: series that have bars, or parts of bars, too small for them, and how many; and parts that are pale alike. */
export function describeUnseen(drawing: Drawing, legends: readonly FrameLegend[]): readonly string[] {
  const { bars, paints } = drawing;
  const names = new Map(legends.flatMap(({ entries }) => entries.flatMap(({ label, symbol }) => {
    const paint = symbolPaint(symbol, paints);
    return paint === 0 ? [] : [[paints.at(paint).series, label] as const];
  })));
  const unseen = new Map<string, number>();
  for (const bar of bars) {
    const name = names.get(paints.at(bar.paint).series);
    if (name !== undefined && !isSeen(bar, drawing)) unseen.set(name, (unseen.get(name) ?? 0) + 1);
  }
  return [
    ...(unseen.size === 0 ? [] : [describeSmall(unseen)]),
    ...(arePaleAlike(drawing) ? ['Pale bars show only what their parts are together.'] : []),
  ];
}

function describeSmall(unseen: ReadonlyMap<string, number>): string {
  return `Too small to be seen here: ${[...unseen].map(([name, count]) => `${name} in ${formatNumber(count)} ${plural(count, 'bar')}`).join(', ')}.`;
}

/** Without colour all that is faint has one sign. */
function arePaleAlike({ bars, paints, look }: Drawing): boolean {
  if (look.depth > 0 || look.ascii) return false;
  const seriesAt = new Map<string, number>();
  return bars.some(({ paint, lying, rows, columns }) => {
    const { faint, series } = paints.at(paint);
    if (!faint) return false;
    const place = `${lying} ${(lying ? rows : columns).join(' ')}`;
    const there = seriesAt.get(place) ?? series;
    seriesAt.set(place, there);
    return there !== series;
  });
}

function isSeen({ columns, rows, paint, lying }: DrawnBar, { raster, paints, look }: Drawing): boolean {
  for (let row = Math.max(0, rows[0]); row < Math.min(raster.height, rows[1]); row += 1) {
    for (let column = Math.max(0, columns[0]); column < Math.min(raster.width, columns[1]); column += 1) {
      const seen = toSeen(raster, row * raster.width + column, paints, look);
      if (seen.paints.includes(paint) || (seen.mark === paint && standsAlone(row, column))) return true;
    }
  }
  return false;

  /** On top of another part, a mark could be anyone's. */
  function standsAlone(row: number, column: number): boolean {
    const [below, beside] = lying ? [row, column - 1] : [row + 1, column];
    if (beside < 0 || below >= raster.height) return true;
    const start = (below * raster.width + beside) * 8;
    return raster.eighths.subarray(start, start + 8).every((id) => id === 0 || id === paint);
  }
}
