import { invariant } from '../../ask/invariant.ts';
import { toBuckets, toBucketStart } from '../../ask/time/buckets.ts';
import { addUnits } from '../../ask/time/calendar.ts';
import { day, isCalendarUnit } from '../../ask/time/granularity.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { toInstant, toLocal, toLocalEdge } from '../../ask/time/zone.ts';
import type { RollingWindow, WindowReach } from '../model/model.ts';
import type { BoundTime, Plan } from '../plan.ts';

/** The time that a bucket's window covers. */
export interface WindowSpan {
  /** The bucket as `toBucket` returns it: local wall time for a day and longer, otherwise the instant. */
  readonly label: number;
  /** Inclusive; undefined if the window has no start. */
  readonly from: number | undefined;
  /** Exclusive; undefined if the window has no end. */
  readonly until: number | undefined;
}

/** The time along which windows move. */
export function windowAxis({ times }: Pick<Plan, 'times'>): BoundTime | undefined {
  return times.find((time) => time.granularity !== undefined) ?? times.find((time) => time.range !== undefined);
}

/** A window for each bucket of the axis's range; without buckets, one for the range. */
export function windowSpans(plan: Plan, axis: BoundTime, window: RollingWindow): readonly WindowSpan[] {
  invariant(axis.range, 'binding asks for a range where a window rolls');
  const buckets =
    axis.granularity === undefined ? [axis.range] : toBuckets(axis.range, axis.granularity, plan.zone, plan.weekStart);
  const calendar = axis.granularity !== undefined && isCalendarUnit(axis.granularity);
  return buckets.map((bucket) => {
    const anchor: Anchor =
      window.offset === 'start'
        ? { instant: bucket.start, inside: 0 }
        : { instant: window.clipped ? Math.min(bucket.end, axis.range!.end) : bucket.end, inside: 1 };
    return {
      label: calendar && 'label' in bucket ? Date.parse(`${bucket.label as string}Z`) : bucket.start,
      from:
        window.toDate === undefined
          ? window.trailing === 'range'
            ? axis.range?.start
            : reach(anchor, window.trailing, -1, plan.zone)
          : toBucketStart(bucket.start, window.toDate, plan.zone, plan.weekStart),
      until: reach(anchor, window.leading, 1, plan.zone),
    };
  });
}

interface Anchor {
  readonly instant: number;
  /** Milliseconds from the bucket's last moment to the instant. As in Cube, months are counted from that moment. */
  readonly inside: 0 | 1;
}

/**
 * Moves an anchor by the window's length. A month before 29 March ends with 29 February, so the window begins on 1
 * March.
 */
function reach(
  { instant, inside }: Anchor,
  window: WindowReach | undefined,
  direction: 1 | -1,
  zone: string,
): number | undefined {
  if (window === 'unbounded' || window === 'range') return undefined;
  if (window === undefined) return instant;
  const units = direction * window.amount;
  // Hours and shorter units are elapsed time, as in buckets.
  if (!isCalendarUnit(window.unit)) return addUnits(instant, window.unit, units);
  const edge = toLocalEdge(instant, zone) - inside;
  // A whole day may be missing before the edge: Samoa skipped 30 December 2011.
  const last = toLocal(instant - 1, zone);
  const local = inside === 1 && edge - last >= day ? last : edge;
  return toInstant(addUnits(local, window.unit, units) + inside, zone, 'first');
}

/** A span without bounds. */
export const noSpan: WindowSpan = { label: 0, from: undefined, until: undefined };

/** The time from the start of the first window to the end of the last; undefined if one is open, or without windows. */
export function reachOf(spans: readonly WindowSpan[]): TimeRange | undefined {
  const [start, end] = [spans.map(({ from }) => from), spans.map(({ until }) => until)];
  if (spans.length === 0 || [...start, ...end].includes(undefined)) return undefined;
  return { start: Math.min(...(start as number[])), end: Math.max(...(end as number[])) };
}
