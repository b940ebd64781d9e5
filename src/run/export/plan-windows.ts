import { toBuckets } from '../../ask/time/buckets.ts';
import { day, hour } from '../../ask/time/granularity.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { halveRange } from './fetch-range.ts';
import type { ExportSource } from './rows/export-source.ts';
import type { Window } from './rows/window.ts';
import { type Tally, openTally } from './tally.ts';

export interface WindowOptions {
  /** Canonical name of the zone. No window crosses a day of this zone. */
  readonly zone: string;
  /** Windows that are already exported. They are left out, and no window crosses their edges. */
  readonly committed?: readonly TimeRange[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Days per counting query: their hours fit into the rows that any server returns at once. */
const mostDays = 400;

/**
 * Splits a range into windows, in order: one per day of the zone, and halves of each that has more events than the
 * source returns rows at once, recursively. A single millisecond is not split. For an unchanged source, the windows do
 * not depend on which of them are committed; for a changed source, they are planned around committed ones. Rejects like
 * `Backend.run`.
 */
export async function* planWindows(
  source: ExportSource,
  range: TimeRange,
  { zone, committed = [], signal }: WindowOptions,
): AsyncGenerator<Window, void, undefined> {
  const done = joinRanges(committed);
  const isDone = (part: TimeRange) => done.some(({ start, end }) => start <= part.start && part.end <= end);
  const isTouched = (part: TimeRange) => done.some(({ start, end }) => start < part.end && part.start < end);

  async function* cut(part: TimeRange, tally: Tally, known?: number): AsyncGenerator<Window, void, undefined> {
    if (isDone(part)) return;
    const touched = isTouched(part);
    const events = touched ? undefined : (known ?? (await tally.count(part, signal)));
    const halves = events === undefined || events > source.limit ? halveRange(part) : undefined;
    if (!halves) {
      if (events !== undefined) yield { start: part.start, end: part.end, events };
      return;
    }
    const [first, last] = touched ? [] : [await tally.count(halves[0], signal), await tally.count(halves[1], signal)];
    // If a source has instants finer than a millisecond, events can lie between halves.
    if (first !== undefined && last !== undefined && first + last !== events)
      yield { start: part.start, end: part.end, events: events! };
    else {
      yield* cut(halves[0], tally, first);
      yield* cut(halves[1], tally, last);
    }
  }

  const days = toBuckets(range, 'day', zone).map(({ start, end }) => ({
    start: Math.max(start, range.start),
    end: Math.min(end, range.end),
  }));
  for (const stretch of toStretches(days.filter((day) => !isDone(day)))) {
    const tally = openTally(source, { start: stretch[0]!.start, end: stretch.at(-1)!.end });
    for (const day of stretch) yield* cut(day, tally);
  }
}

/** Days that are counted together: neighbours whose common edges are whole hours. */
function toStretches(days: readonly TimeRange[]): readonly (readonly TimeRange[])[] {
  const stretches: TimeRange[][] = [];
  for (const day of days) {
    const stretch = stretches.at(-1);
    if (stretch && stretch.length < mostDays && stretch.at(-1)!.end === day.start && day.start % hour === 0)
      stretch.push(day);
    else stretches.push([day]);
  }
  return stretches;
}

function joinRanges(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const joined: TimeRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && range.start <= last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else joined.push(range);
  }
  return joined;
}

/** Pairs of parts that overlap. The parts must be ordered by start. */
export function findOverlap<T extends { readonly window: TimeRange }>(
  parts: readonly T[],
): readonly (readonly [T, T])[] {
  const found: [T, T][] = [];
  let furthest = parts[0];
  for (const part of parts.slice(1)) {
    if (furthest && part.window.start < furthest.window.end) found.push([furthest, part]);
    if (!furthest || part.window.end > furthest.window.end) furthest = part;
  }
  return found;
}

/** The part of a range that is closed already. */
export function closedPart({ start, end }: TimeRange, closedUntil: number): TimeRange {
  return { start, end: Math.max(start, Math.min(end, closedUntil)) };
}

/** Length of a counting query: its hours fit into the rows that any server returns at once. */
const longest = 400 * day;

/** A window whose event count at the source has changed. */
interface ChangedWindow<T extends Window> {
  readonly window: T;
  readonly counted: number;
}

/**
 * Counts windows again and returns those that changed. Windows must be ordered and disjoint. Added and removed events
 * can cancel each other out unnoticed. Rejects like `Backend.run`.
 */
export async function findChanged<T extends Window>(
  source: ExportSource,
  windows: readonly T[],
  signal?: AbortSignal,
): Promise<readonly ChangedWindow<T>[]> {
  const changed: ChangedWindow<T>[] = [];
  let until = -Infinity;
  let tally: Tally | undefined;
  for (const [index, window] of windows.entries()) {
    if (!tally || window.end > until) {
      until = windows.slice(index).findLast(({ end }) => end - window.start <= longest)?.end ?? window.end;
      tally = openTally(source, { start: window.start, end: until });
    }
    const counted = await tally.count(window, signal);
    if (counted !== window.events) changed.push({ window, counted });
  }
  return changed;
}
