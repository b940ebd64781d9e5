import { writeInstantLocal } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';

/** The parts of a range that no window covers. `windows`: in the order of their starts. */
export function gapsIn(range: TimeRange, windows: readonly TimeRange[]): readonly TimeRange[] {
  const gaps: TimeRange[] = [];
  let covered = range.start;
  for (const { start, end } of windows) {
    if (start > covered) gaps.push({ start: covered, end: Math.min(start, range.end) });
    covered = Math.max(covered, end);
  }
  if (covered < range.end) gaps.push({ start: covered, end: range.end });
  return gaps.filter(({ start, end }) => start < end);
}

const mostNamed = 3;

/** For people: `2026-09-03 to 2026-09-05, 2026-09-08`. */
export function describeGaps(gaps: readonly TimeRange[], zone: string): string {
  const named = gaps.slice(0, mostNamed).map(({ start, end }) => {
    const [first, last] = [start, end - 1].map((instant) => writeInstantLocal(instant, zone).slice(0, 10));
    return first === last ? first : `${first} to ${last}`;
  });
  return named.join(', ') + (gaps.length > mostNamed ? ' and other days' : '');
}
