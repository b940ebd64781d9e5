/** How bands lie among cells, all of one size. */
export interface BandFit {
  /** Cells for all of them together. */
  readonly size: number;
  /** Cells from one to the next. */
  readonly step: number;
  /** Cells between two of them, as part of a step: what Vega takes as the inner padding. */
  readonly gap: number;
}

export interface BandWish {
  readonly count: number;
  /** Parts of each that need a cell of their own. */
  readonly parts: number;
  /** Cells there are. */
  readonly room: number;
  /** A part takes no more cells than these. */
  readonly widest: number;
  /** Cells between two bands where there is room for them. */
  readonly gaps: readonly number[];
}

/** The widest bands of whole cells that fit, with the first of the gaps that leaves each part a cell; undefined where none does. */
export function fitBands({ count, parts, room, widest, gaps }: BandWish): BandFit | undefined {
  if (count === 0) return { size: room, step: room, gap: 0 };
  for (const gap of gaps) {
    const part = Math.min(widest, Math.floor((Math.floor((room + gap) / count) - gap) / parts));
    if (part < 1) continue;
    const step = part * parts + gap;
    return { size: count * step - gap, step, gap: gap / step };
  }
  return undefined;
}
