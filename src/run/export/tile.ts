import type { TimeRange } from '../../ask/time/range.ts';

/** Neighbours that share some time, of things that stand by their start. */
export function findOverlap<T extends { readonly window: TimeRange }>(parts: readonly T[]): readonly (readonly [T, T])[] {
  const found: [T, T][] = [];
  let furthest = parts[0];
  for (const part of parts.slice(1)) {
    if (furthest && part.window.start < furthest.window.end) found.push([furthest, part]);
    if (!furthest || part.window.end > furthest.window.end) furthest = part;
  }
  return found;
}

/** What of a range the windows, by their start, leave out. */
export function findGaps(range: TimeRange, windows: readonly TimeRange[]): readonly TimeRange[] {
  const gaps: TimeRange[] = [];
  let reached = range.start;
  for (const { start, end } of windows) {
    if (start > reached) gaps.push({ start: reached, end: Math.min(start, range.end) });
    reached = Math.max(reached, end);
    if (reached >= range.end) break;
  }
  if (reached < range.end) gaps.push({ start: reached, end: range.end });
  return gaps.filter(({ start, end }) => start < end);
}

/** Where a range ends for now. */
export function closedPart({ start, end }: TimeRange, closedUntil: number): TimeRange {
  return { start, end: Math.max(start, Math.min(end, closedUntil)) };
}
