import { filled, filledOrZero, partialByPresent, partialByRange } from '../../shape/result/marks.ts';

/** The kinds of mark that a reader tells apart. */
export type MarkKind = 'filled' | 'filledOrZero' | 'partial';

/** What the flags of a cell, or of many cells together, mean to a reader. */
export function toMarkLegend(flags: number): readonly { readonly kind: MarkKind; readonly meaning: string }[] {
  const legend: { kind: MarkKind; meaning: string }[] = [];
  if ((flags & filled) !== 0) legend.push({ kind: 'filled', meaning: 'filled: there were no rows' });
  if ((flags & filledOrZero) !== 0)
    legend.push({ kind: 'filledOrZero', meaning: 'filled or zero: the server does not say which' });
  const cutters = [(flags & partialByRange) !== 0 && 'range', (flags & partialByPresent) !== 0 && 'present'].filter(
    Boolean,
  );
  if (cutters.length > 0) legend.push({ kind: 'partial', meaning: `partial: cut by the ${cutters.join(' or the ')}` });
  return legend;
}

/** Cells that hold no figure of their own: nothing was counted there, or nobody knows whether it was. */
export function isFilled(flags: number): boolean {
  return (flags & (filled | filledOrZero)) !== 0;
}

/** Cells of time that are not covered in full. */
export function isPartial(flags: number): boolean {
  return (flags & (partialByRange | partialByPresent)) !== 0;
}
