import { cellWidth } from '../labels/cell-width.ts';
import { wrapWords } from '../labels/wrap-words.ts';

/** The needs of a column, in cells. */
interface ColumnNeed {
  /** The widest value. */
  readonly values: number;
  readonly heading: string;
  /** Values may be cut. A column that cannot be cut is omitted rather than misread. */
  readonly shrinks: boolean;
  /** Values cut to fewer cells look alike. */
  readonly least?: number | undefined;
}

/** Text narrower than this says too little. */
const narrowest = 8;
const mostHeadingLines = 3;

/**
 * Widths of as many columns as fit side by side, from the left, with `gap` cells between them. First, headings are
 * wrapped; then texts are cut, the longest first; then columns are dropped from the right. The first column always
 * stays.
 */
export function fitColumns(
  needs: readonly ColumnNeed[],
  width: number,
  gap: number,
  ellipsis: string,
): readonly number[] {
  for (let count = needs.length; count > 1; count -= 1) {
    const widths = tryToFit(needs.slice(0, count), width - gap * (count - 1), ellipsis);
    if (widths) return widths;
  }
  return needs.slice(0, 1).map((need) => Math.min(width, widthWithHeading(need, 1, ellipsis)));
}

function tryToFit(needs: readonly ColumnNeed[], room: number, ellipsis: string): readonly number[] | undefined {
  for (let lines = 1; lines <= mostHeadingLines; lines += 1) {
    const widths = needs.map((need) => widthWithHeading(need, lines, ellipsis));
    if (sum(widths) <= room) return widths;
    if (lines === mostHeadingLines) return shrink(needs, widths, room);
  }
  return undefined;
}

/** Lowers the limit of the columns that shrink until all fit. */
function shrink(needs: readonly ColumnNeed[], widths: readonly number[], room: number): readonly number[] | undefined {
  const capped = (ceiling: number) =>
    widths.map((width, index) =>
      needs[index]?.shrinks ? Math.min(width, Math.max(ceiling, needs[index].least ?? 0)) : width,
    );
  if (sum(capped(narrowest)) > room) return undefined;
  let low = narrowest;
  let high = Math.max(...widths, narrowest);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(capped(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return handOut(widths, capped(low), room);
}

/** Gives spare cells, too few for every column to grow, to the first columns that can use them. */
function handOut(wanted: readonly number[], given: readonly number[], room: number): readonly number[] {
  let left = room - sum(given);
  return given.map((width, index) => {
    const more = Math.min(1, left, (wanted[index] as number) - width);
    left -= more;
    return width + more;
  });
}

/** The least width at which the heading takes at most `lines` lines and no value is cut. */
function widthWithHeading({ values, heading }: ColumnNeed, lines: number, ellipsis: string): number {
  const words = heading.split(' ');
  let width = Math.max(values, ...(lines === 1 ? [cellWidth(heading)] : words.map(cellWidth)));
  while (lines > 1 && wrapWords(heading, width, { ellipsis }).length > lines) width += 1;
  return width;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
