import { Cron } from 'croner';
import type { Schedule } from './schedule.ts';

/**
 * The first instants of a schedule after one and up to another (inside), in order, at most so many. A wall time that
 * the clock jumps over counts at the jump, one that occurs twice counts once.
 */
function firstSlots(schedule: Schedule, zone: string, after: number, until: number, most: number): readonly number[] {
  const job = toJob(schedule, zone);
  const slots: number[] = [];
  for (
    let slot = job.nextRun(new Date(after));
    slot && slot.getTime() <= until && slots.length < most;
    slot = job.nextRun(slot)
  )
    slots.push(slot.getTime());
  return slots;
}

/** The first instant after one; undefined where there is none any more (a 30 February). */
export function nextSlot(schedule: Schedule, zone: string, after: number): number | undefined {
  return toJob(schedule, zone).nextRun(new Date(after))?.getTime();
}

/** The last instant up to one (inside); undefined where there never was one. */
export function lastSlot(schedule: Schedule, zone: string, until: number): number | undefined {
  return toJob(schedule, zone)
    .previousRuns(1, new Date(until + 1))[0]
    ?.getTime();
}

/** The first of the latest so many instants up to one (inside). */
export function earliestOf(schedule: Schedule, zone: string, until: number, count: number): number | undefined {
  return toJob(schedule, zone)
    .previousRuns(count, new Date(until + 1))
    .at(-1)
    ?.getTime();
}

/** By the values of the fields: croner reads some ways of writing them otherwise. */
function toJob({ fields: { minutes, hours, days, onLastDay, months, weekdays } }: Schedule, zone: string): Cron {
  const cron = [minutes, hours, onLastDay ? ['L'] : days, months, weekdays]
    .map((values) => values?.join(',') ?? '*')
    .join(' ');
  return new Cron(cron, { timezone: zone, paused: true });
}

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
 * The slots that are due at an instant, at most so many: in order those after the latest that was run, the first ones
 * of them, and then those that were run and are not done, the latest ones. Of a report that never ran, only the last
 * slot is due: nobody waits for those before it was there. `catchUp`: only the latest so many slots can be due.
 */
export function dueSlots(
  schedule: Schedule,
  zone: string,
  { latest, first, open }: SlotHistory,
  now: number,
  most = Infinity,
  catchUp = Infinity,
): readonly number[] {
  const earliest = catchUp === Infinity ? undefined : earliestOf(schedule, zone, now, catchUp);
  const from = earliest ?? -Infinity;
  const after = latest ?? (first === undefined ? undefined : first - 1);
  if (after === undefined) {
    const last = lastSlot(schedule, zone, now);
    return last === undefined ? [] : [last];
  }
  const fresh = firstSlots(schedule, zone, Math.max(after, from - 1), now, most);
  const again = open.filter((slot) => slot >= from);
  return [...fresh, ...again.slice(Math.max(0, again.length - (most - fresh.length)))];
}
