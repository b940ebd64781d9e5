import { hour, minute, second } from '../../ask/time/duration.ts';
import type { TimeRange } from '../../ask/time/range.ts';

/**
 * Cuts a stretch of time in two at the middle one of the whole hours, UTC, within it; of the whole minutes where there is
 * none; then seconds, then milliseconds. Where it is cut depends on its ends alone: whatever the counts, two cuttings of
 * the same stretch give parts that are equal, or lie within each other, or apart. undefined: one millisecond.
 */
export function halveRange({ start, end }: TimeRange): readonly [TimeRange, TimeRange] | undefined {
  for (const size of [hour, minute, second, 1]) {
    const first = (Math.floor(start / size) + 1) * size;
    const last = (Math.ceil(end / size) - 1) * size;
    if (first > last) continue;
    const middle = first + Math.floor(((last - first) / size + 1) / 2) * size;
    return [{ start, end: middle }, { start: middle, end }];
  }
  return undefined;
}

/** The same, but for a stretch that lies within one bucket of the size. */
export function halveAbove({ start, end }: TimeRange, size: number): readonly [TimeRange, TimeRange] | undefined {
  return Math.floor(start / size) === Math.floor((end - 1) / size) ? undefined : halveRange({ start, end });
}
