import type { Schedule } from './schedule.ts';
import { firstSlots, lastSlot } from './schedule-slots.ts';

/** What is known of the slots of a report. Epoch milliseconds. */
export interface SlotHistory {
  /** The latest one that was run, well or not. */
  readonly latest?: number | undefined;
  /** The earliest one that was ever begun. */
  readonly first?: number | undefined;
  /** Those that were tried and are not done, in order. */
  readonly open: readonly number[];
}

/**
 * The slots that are due at an instant, at most so many: in order those after the latest that was run, the first ones of
 * them, and then those that were run and are not done, the latest ones. Of a report that never ran, only the last
 * slot is due: nobody waits for those before it was there.
 */
export function dueSlots(schedule: Schedule, zone: string, { latest, first, open }: SlotHistory, now: number, most = Infinity): readonly number[] {
  const after = latest ?? (first === undefined ? undefined : first - 1);
  if (after === undefined) {
    const last = lastSlot(schedule, zone, now);
    return last === undefined ? [] : [last];
  }
  const fresh = firstSlots(schedule, zone, after, now, most);
  return [...fresh, ...open.slice(Math.max(0, open.length - (most - fresh.length)))];
}
