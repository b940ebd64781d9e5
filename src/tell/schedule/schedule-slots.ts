import { Cron } from 'croner';
import type { Schedule } from './schedule.ts';

/**
 * The instants of a schedule after one and up to another (inside), in order, at most so many; the latest ones where there are more.
 * A wall time that the clock jumps over counts at the jump, one that occurs twice counts once.
 */
export function slotsBetween(schedule: Schedule, zone: string, after: number, until: number, most: number): readonly number[] {
  const job = toJob(schedule, zone);
  const slots: number[] = [];
  for (let slot = job.nextRun(new Date(after)); slot && slot.getTime() <= until; slot = job.nextRun(slot)) {
    slots.push(slot.getTime());
    if (slots.length > most) slots.shift();
  }
  return slots;
}

/** The first instants after one and up to another (inside), in order, at most so many. */
export function firstSlots(schedule: Schedule, zone: string, after: number, until: number, most: number): readonly number[] {
  const job = toJob(schedule, zone);
  const slots: number[] = [];
  for (let slot = job.nextRun(new Date(after)); slot && slot.getTime() <= until && slots.length < most; slot = job.nextRun(slot)) slots.push(slot.getTime());
  return slots;
}

/** The first instant after one; undefined where there is none any more (a 30 February). */
export function nextSlot(schedule: Schedule, zone: string, after: number): number | undefined {
  return toJob(schedule, zone).nextRun(new Date(after))?.getTime();
}

/** The last instant up to one (inside); undefined where there never was one. */
export function lastSlot(schedule: Schedule, zone: string, until: number): number | undefined {
  return toJob(schedule, zone).previousRuns(1, new Date(until + 1))[0]?.getTime();
}

/** By the values of the fields: croner reads some ways of writing them otherwise. */
function toJob({ fields: { minutes, hours, days, months, weekdays } }: Schedule, zone: string): Cron {
  const cron = [minutes, hours, days, months, weekdays].map((values) => values?.join(',') ?? '*').join(' ');
  return new Cron(cron, { timezone: zone, paused: true });
}
