import { Cron } from 'croner';
import type { Schedule } from './schedule.ts';

/**
 * The first `most` slots of a schedule after one instant and up to another (inclusive), in order. A wall time that the
 * clock skips is moved to the jump; one that occurs twice counts once.
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

/** The next slot after an instant; undefined if there is none (30 February). */
export function nextSlot(schedule: Schedule, zone: string, after: number): number | undefined {
  return toJob(schedule, zone).nextRun(new Date(after))?.getTime();
}

/** The last slot up to an instant (inclusive); undefined if there is none. */
export function lastSlot(schedule: Schedule, zone: string, until: number): number | undefined {
  return toJob(schedule, zone)
    .previousRuns(1, new Date(until + 1))[0]
    ?.getTime();
}

/** The first of the latest `count` slots up to an instant (inclusive). */
function earliestOf(schedule: Schedule, zone: string, until: number, count: number): number | undefined {
  return toJob(schedule, zone)
    .previousRuns(count, new Date(until + 1))
    .at(-1)
    ?.getTime();
}

/** Uses the values of the fields, because croner reads some notations differently. */
function toJob({ fields: { minutes, hours, days, onLastDay, months, weekdays } }: Schedule, zone: string): Cron {
  const cron = [minutes, hours, onLastDay ? ['L'] : days, months, weekdays]
    .map((values) => values?.join(',') ?? '*')
    .join(' ');
  return new Cron(cron, { timezone: zone, paused: true });
}

/** The past slots of a report. Epoch milliseconds. */
export interface SlotHistory {
  /** The latest slot that was run, successfully or not. */
  readonly latest?: number | undefined;
  /** The earliest slot that was ever started. */
  readonly first?: number | undefined;
  /** Slots that were tried and are not done, in order. */
  readonly open: readonly number[];
}

/**
 * The slots due at an instant, at most `most`, in order: first the earliest ones after the latest run, then the latest
 * ones that were run and are not done. For a report that never ran, only the last slot is due: earlier ones are from
 * before the report existed. `catchUp` limits the due slots to the latest ones.
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
