import { lastSlot, slotsBetween } from './schedule-slots.ts';
import type { Schedule } from './schedule.ts';

/** What is known of the slots of a report. Epoch milliseconds. */
export interface SlotHistory {
  /** The latest one that is done. */
  readonly settled?: number | undefined;
  /** The earliest one that was ever begun. */
  readonly first?: number | undefined;
}

/**
 * The slots that are due at an instant, in order: all after the latest that is done. Of a report that never ran, only the last slot is:
 * nobody waits for those before it was there. From then on none is left out, though the first one failed.
 */
export function dueSlots(schedule: Schedule, zone: string, { settled, first }: SlotHistory, now: number): readonly number[] {
  if (settled !== undefined) return slotsBetween(schedule, zone, settled, now, Number.POSITIVE_INFINITY);
  if (first !== undefined) return slotsBetween(schedule, zone, first - 1, now, Number.POSITIVE_INFINITY);
  const last = lastSlot(schedule, zone, now);
  return last === undefined ? [] : [last];
}
