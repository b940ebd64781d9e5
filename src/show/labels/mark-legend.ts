import type { Column } from '../../plan/column.ts';
import { filled, filledOrZero, partialByPresent, partialByRange } from '../../shape/result/marks.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';

/** The kinds of mark that readers see. */
export type MarkKind = 'filled' | 'filledOrZero' | 'partial';

/** What cuts figures at the end of an answer: the present, unless its data ends before that. */
export function nameEnd({ endsEarly }: Pick<Provenance, 'endsEarly'>, present = 'present'): string {
  return endsEarly === undefined ? present : 'end of the data';
}

/** The meaning of the flags of one or several cells. `of`: the answer, whose data may end before the present. */
export function toMarkLegend(
  flags: number,
  of: Pick<Provenance, 'endsEarly'> = {},
): readonly { readonly kind: MarkKind; readonly meaning: string }[] {
  const legend: { kind: MarkKind; meaning: string }[] = [];
  if ((flags & filled) !== 0) legend.push({ kind: 'filled', meaning: 'filled: there were no rows' });
  if ((flags & filledOrZero) !== 0)
    legend.push({ kind: 'filledOrZero', meaning: 'filled or zero: the server does not say which' });
  const cutters = [(flags & partialByRange) !== 0 && 'range', (flags & partialByPresent) !== 0 && nameEnd(of)].filter(
    Boolean,
  );
  if (cutters.length > 0) legend.push({ kind: 'partial', meaning: `partial: cut by the ${cutters.join(' or the ')}` });
  return legend;
}

/** True for cells without a figure: nothing was counted, or it is unknown whether anything was. */
export function isFilled(flags: number): boolean {
  return (flags & (filled | filledOrZero)) !== 0;
}

/** True for buckets that are only partly covered. */
export function isPartial(flags: number): boolean {
  return (flags & (partialByRange | partialByPresent)) !== 0;
}

/**
 * The flags that a column's cells show signs for. If the time bucket of a row has a flag, the other cells of the row do
 * not repeat it. The ranges of a comparison, side by side, have a bucket each.
 */
export function toShownFlags(result: Pick<Result, 'columns' | 'marks'>, column: Column): (row: number) => number {
  const flags = result.marks.flags(column.key);
  if (!flags) return () => 0;
  const range = earlierRange(column);
  const axis = result.columns.find(
    (each) => each.kind === 'time' && earlierRange(each) === range && result.marks.flags(each.key) !== undefined,
  );
  const said = axis && axis.key !== column.key ? result.marks.flags(axis.key) : undefined;
  if (said === flags) return () => 0;
  return (row) => (flags[row] ?? 0) & ~(said?.[row] ?? 0);
}

/** The suffix of a column of an earlier range in a comparison: `.previous`, `.previous.2` … */
function earlierRange({ key, member }: Column): string | undefined {
  return /\.previous(\.\d+)?$/.exec(key.slice(member.length))?.[0];
}
