/** Widths by code point, as `font-widths.ts` writes them: `gap+count*width` for a run of equal ones, in base 36. */
export interface GlyphTable {
  /** Undefined where the font has no such glyph. */
  width(code: number): number | undefined;
}

const smallest = 0x500;

export function readGlyphTable(text: string): GlyphTable {
  const starts: number[] = [];
  const ends: number[] = [];
  const widths: number[] = [];
  let next = 0;
  for (const [, gap, count, width] of text.matchAll(/(?:(\w+)\+)?(?:(\w+)\*)?(\w+)/g)) {
    const start = next + (gap ? parseInt(gap, 36) : 0);
    next = start + (count ? parseInt(count, 36) : 1);
    starts.push(start);
    ends.push(next);
    widths.push(parseInt(width as string, 36));
  }
  const search = (code: number): number | undefined => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= code) low = middle + 1;
      else high = middle;
    }
    return low > 0 && code < (ends[low - 1] as number) ? widths[low - 1] : undefined;
  };
  // Most texts hold none but these.
  const known = Array.from({ length: smallest }, (_, code) => search(code));
  return { width: (code) => (code < smallest ? known[code] : search(code)) };
}
